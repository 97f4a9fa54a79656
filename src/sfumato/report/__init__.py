"""Building blocks of HTML reports: page frame, tables, number formats (``html``) and SVG plots (``plots``)."""

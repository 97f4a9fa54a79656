"""Makes the tables and the models that are shipped, and trains models of your own."""

import sfumato  # noqa: F401 - first, so that usage reports of dependencies are off before these are imported

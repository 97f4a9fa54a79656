"""Engines beyond one machine (Ray), and storage by URL. No method is here: the runs are those of ``sfumato.runs``."""

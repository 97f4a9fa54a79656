"""Published methods, baselines, attacks and metrics: plug-ins of Sfumato like anyone's, in the same distribution."""

"""The default policy, the model of ratings behind it, and its hypotheses about bursts."""

"""All git of ours: asked so that a repository's configuration runs nothing, whoever has written it."""

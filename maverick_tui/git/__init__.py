"""All our use of git: asked so that a repository's configuration runs nothing, whoever wrote it."""

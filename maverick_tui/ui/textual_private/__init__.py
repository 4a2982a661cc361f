"""All that we use of Textual and that is not public: the only room that touches it, with a switch that turns it off."""

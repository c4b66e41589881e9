"""Graph factories and input forms for LangGraph Studio."""

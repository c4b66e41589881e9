"""Text of profiles: cleaning, rules, differences."""

"""REST for programs of the staff: tokens with scopes, and every room's services under /api/v1/."""

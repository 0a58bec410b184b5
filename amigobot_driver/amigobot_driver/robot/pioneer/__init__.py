"""What a Pioneer has beside an AmigoBot."""

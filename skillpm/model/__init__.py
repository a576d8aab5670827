"""What things are: frozen values and pure rules; nothing here touches the outside."""

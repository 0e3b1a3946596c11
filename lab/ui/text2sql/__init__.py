"""What the Text2SQL page alone needs: the one place of the interface that knows `lab.text2sql`."""

"""What the tests of the pgoutput decoder share: a second decoder, and bytes of real servers."""

//! A checked reader: every field is there, or the error says where it is not.

use super::error::DecodeError;

/// Reads big-endian fields from a message, front to back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    length: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, length: bytes.len() }
    }

    /// Returns how many bytes were read.
    pub(super) fn offset(&self) -> usize {
        self.length - self.rest.len()
    }

    /// Returns how many bytes follow.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn truncated(&self, needed: usize) -> DecodeError {
        DecodeError::Truncated { offset: self.offset(), needed, left: self.left() }
    }

    #[inline]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let (field, rest) = self.rest.split_first_chunk().ok_or_else(|| self.truncated(N))?;
        self.rest = rest;
        Ok(*field)
    }

    #[inline]
    pub(super) fn u8(&mut self) -> Result<u8, DecodeError> {
        self.take().map(|[byte]| byte)
    }

    #[inline]
    pub(super) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.take().map(u16::from_be_bytes)
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.take().map(u32::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, DecodeError> {
        self.take().map(i32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, DecodeError> {
        self.take().map(u64::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, DecodeError> {
        self.take().map(i64::from_be_bytes)
    }

    /// Returns the next `count` bytes.
    #[inline]
    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (field, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| self.truncated(count))?;
        self.rest = rest;
        Ok(field)
    }

    /// Returns as many bytes as the four before them say.
    #[inline]
    pub(super) fn counted(&mut self) -> Result<&'a [u8], DecodeError> {
        let count = self.u32()?;
        self.bytes(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// Returns the text up to the next zero byte.
    pub(super) fn text(&mut self) -> Result<&'a str, DecodeError> {
        let offset = self.offset();
        let end = self.rest.iter().position(|&byte| byte == 0);
        let text = self.bytes(end.ok_or(DecodeError::Unterminated { offset })?)?;
        self.u8()?;
        str::from_utf8(text).map_err(|_| DecodeError::NotUtf8 { offset })
    }

    /// Returns the error for the byte just read.
    pub(super) fn unexpected(&self, found: u8, expected: &'static str) -> DecodeError {
        DecodeError::Unexpected { offset: self.offset().saturating_sub(1), found, expected }
    }

    /// Checks that nothing follows.
    #[inline]
    pub(super) fn finish(&self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Trailing { offset: self.offset(), left: self.left() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_front_to_back() {
        let mut cursor = Cursor::new(b"\x01\x00\x02name\x00\x00\x00\x00\x02ab");
        assert_eq!(cursor.u8(), Ok(1));
        assert_eq!(cursor.u16(), Ok(2));
        assert_eq!(cursor.text(), Ok("name"));
        assert_eq!(cursor.counted(), Ok(b"ab".as_slice()));
        assert_eq!(cursor.finish(), Ok(()));
    }

    #[test]
    fn a_missing_field_is_located() {
        let mut cursor = Cursor::new(b"\x00\x01");
        let truncated = DecodeError::Truncated { offset: 0, needed: 4, left: 2 };
        assert_eq!(cursor.u32(), Err(truncated));
        assert_eq!(cursor.finish(), Err(DecodeError::Trailing { offset: 0, left: 2 }));
        assert_eq!(cursor.text(), Ok(""));
        assert_eq!(cursor.text(), Err(DecodeError::Unterminated { offset: 1 }));
    }

    #[test]
    fn text_must_be_utf8() {
        assert_eq!(Cursor::new(b"\xff\x00").text(), Err(DecodeError::NotUtf8 { offset: 0 }));
    }

    #[test]
    fn a_count_beyond_the_message_takes_nothing() {
        let mut cursor = Cursor::new(b"\xff\xff\xff\xffab");
        assert!(matches!(cursor.counted(), Err(DecodeError::Truncated { offset: 4, left: 2, .. })));
    }
}

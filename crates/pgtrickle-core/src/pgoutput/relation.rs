//! The shape of a relation, and the shapes that a session has told.

use std::collections::HashMap;
use std::sync::Arc;

use super::cursor::Cursor;
use super::error::DecodeError;

/// Flags, an empty name with its end, type and modifier.
const SMALLEST_COLUMN: usize = 10;

/// What identifies a row that went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplicaIdentity {
    /// The primary key, if there is one.
    Default,
    /// Nothing.
    Nothing,
    /// The whole row.
    Full,
    /// The columns of a chosen unique index.
    Index,
}

impl ReplicaIdentity {
    /// Returns the letter of `pg_class.relreplident`.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Default => 'd',
            Self::Nothing => 'n',
            Self::Full => 'f',
            Self::Index => 'i',
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        match cursor.u8()? {
            b'd' => Ok(Self::Default),
            b'n' => Ok(Self::Nothing),
            b'f' => Ok(Self::Full),
            b'i' => Ok(Self::Index),
            other => Err(cursor.unexpected(other, "replica identity")),
        }
    }
}

/// One published column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The OID of its type.
    pub type_oid: u32,
    /// The type's modifier, or -1.
    pub type_modifier: i32,
    /// It belongs to the replica identity.
    pub is_key: bool,
}

/// A table as the following rows have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Its OID.
    pub oid: u32,
    /// Its schema; empty for `pg_catalog`.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What identifies a row that went.
    pub identity: ReplicaIdentity,
    /// The published columns, in the order of the table.
    pub columns: Vec<Column>,
}

impl Relation {
    /// Reads what follows the tag and the transaction id of a Relation message.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        let oid = cursor.u32()?;
        let schema = cursor.text()?.to_owned();
        let name = cursor.text()?.to_owned();
        let identity = ReplicaIdentity::read(cursor)?;
        let count = usize::from(cursor.u16()?);
        let mut columns = Vec::with_capacity(count.min(cursor.left() / SMALLEST_COLUMN));
        for _ in 0..count {
            let is_key = cursor.u8()? & 1 == 1;
            let name = cursor.text()?.to_owned();
            columns.push(Column {
                name,
                is_key,
                type_oid: cursor.u32()?,
                type_modifier: cursor.i32()?,
            });
        }
        Ok(Self { oid, schema, name, identity, columns })
    }

    /// Returns schema and name for a message.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        let schema = if self.schema.is_empty() { "pg_catalog" } else { &self.schema };
        format!("\"{schema}.{}\"", self.name)
    }
}

/// The latest shape of each relation, by OID.
///
/// The server tells a shape before the first row of a session and again after the table was
/// altered. A batch that fails must leave no trace, so new shapes wait in `told` until it ends.
#[derive(Debug, Default)]
pub(super) struct RelationCache {
    known: HashMap<u32, Arc<Relation>>,
    told: HashMap<u32, Arc<Relation>>,
}

impl RelationCache {
    pub(super) fn get(&self, oid: u32) -> Result<&Arc<Relation>, DecodeError> {
        let found = self.told.get(&oid).or_else(|| self.known.get(&oid));
        found.ok_or(DecodeError::UnknownRelation { oid })
    }

    /// Takes a shape; returns false when it is the one already known.
    pub(super) fn tell(&mut self, relation: Relation) -> bool {
        if self.get(relation.oid).is_ok_and(|known| **known == relation) {
            return false;
        }
        self.told.insert(relation.oid, Arc::new(relation));
        true
    }

    /// Keeps what the batch told.
    pub(super) fn keep(&mut self) {
        self.known.extend(self.told.drain());
    }

    /// Forgets what the batch told.
    pub(super) fn forget(&mut self) {
        self.told.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }
}

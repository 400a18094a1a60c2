//! Batches of messages to changes: each row image is read once, into memory taken once.

use std::collections::HashMap;
use std::sync::Arc;

use super::Xid;
use super::changes::{Action, Row, TableChanges};
use super::cursor::Cursor;
use super::error::DecodeError;
use super::event::Event;
use super::image::{Cell, CellKind, Images};
use super::message::{Message, RowKind, Scope};
use super::relation::{Relation, RelationCache, ReplicaIdentity};
use crate::Error;

/// The largest batch in bytes; values of a column, which an update may hold twice, then have 31-bit positions.
const LIMIT: usize = (1 << 30) - 1;

/// Flag, relation and the letter before a tuple's number of columns.
const COUNT_OFFSET: usize = 6;

/// An event and the number of its message in the batch, which orders it among the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedEvent {
    /// The position of the message in the batch.
    pub message: u32,
    /// What it told.
    pub event: Event,
}

/// What a batch of messages told.
#[derive(Debug)]
pub struct Batch {
    /// The rows of each table; a table that was altered in between has an entry for each shape.
    pub tables: Vec<TableChanges>,
    /// What happened between the rows.
    pub events: Vec<LocatedEvent>,
}

/// Reads the messages of one replication session, in order.
///
/// A batch that cannot be read leaves the decoder as it was before. A new session begins with a
/// new decoder: the server starts over with the transaction that was open and tells all shapes.
#[derive(Debug, Default)]
pub struct Decoder {
    scope: Scope,
    relations: RelationCache,
}

impl Decoder {
    /// Returns a decoder for a new session.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how many relations the session has told.
    #[must_use]
    pub fn relations(&self) -> usize {
        self.relations.len()
    }

    /// Returns what the messages tell; they need not end with a transaction.
    ///
    /// # Errors
    ///
    /// [`Error::Pgoutput`] with the number of the first message that cannot be read.
    pub fn decode<M: AsRef<[u8]>>(&mut self, messages: &[M]) -> Result<Batch, Error> {
        let bytes: usize = messages.iter().map(|message| message.as_ref().len()).sum();
        if bytes > LIMIT {
            let source = DecodeError::TooLarge { limit: LIMIT };
            return Err(Error::Pgoutput { message: 0, source });
        }
        let mut builder = Builder::new(cell_count(messages, self.scope), bytes);
        let mut scope = self.scope;
        for (number, message) in messages.iter().enumerate() {
            let number_in_batch = u32::try_from(number).unwrap_or(u32::MAX);
            let read = Message::read(message.as_ref(), scope).and_then(|message| {
                builder.take(message, number_in_batch, &mut self.relations, &mut scope)
            });
            if let Err(source) = read {
                self.relations.forget();
                return Err(Error::Pgoutput { message: number, source });
            }
        }
        self.relations.keep();
        self.scope = scope;
        Ok(builder.finish())
    }
}

/// Returns how many cells the rows will have, as far as their messages are long enough to be right.
fn cell_count<M: AsRef<[u8]>>(messages: &[M], scope: Scope) -> usize {
    let mut streaming = matches!(scope, Scope::Stream(_));
    let mut cells = 0;
    for message in messages.iter().map(AsRef::as_ref) {
        let images = match message.first() {
            Some(b'I' | b'D') => 1,
            Some(b'U') => 2,
            Some(b'S' | b'E') => {
                streaming = message.first() == Some(&b'S');
                0
            }
            _ => 0,
        };
        if images > 0 {
            let at = COUNT_OFFSET + if streaming { size_of::<Xid>() } else { 0 };
            let count = message.get(at..).and_then(<[u8]>::first_chunk);
            let count = usize::from(u16::from_be_bytes(count.copied().unwrap_or_default()));
            cells += images * count.min(message.len());
        }
    }
    cells
}

/// The row message that is being read.
#[derive(Clone, Copy)]
struct Origin {
    xid: Xid,
    subxid: Xid,
    message: u32,
}

struct Table {
    relation: Arc<Relation>,
    rows: Vec<Row>,
}

struct Builder {
    images: Images,
    tables: Vec<Table>,
    /// The table of the latest shape of each relation.
    latest: HashMap<u32, usize>,
    /// The relation of the row before and its table, which the next row most likely shares.
    before: Option<(u32, usize)>,
    events: Vec<LocatedEvent>,
}

impl Builder {
    fn new(cells: usize, bytes: usize) -> Self {
        Self {
            images: Images::with_capacity(cells, bytes),
            tables: Vec::new(),
            latest: HashMap::new(),
            before: None,
            events: Vec::new(),
        }
    }

    #[inline]
    fn take(
        &mut self,
        message: Message<'_>,
        number: u32,
        relations: &mut RelationCache,
        scope: &mut Scope,
    ) -> Result<(), DecodeError> {
        match message {
            Message::Row { kind, xid, subxid, relation, body } => {
                let table = self.table(relation, relations)?;
                let origin = Origin { xid, subxid, message: number };
                return self.row(table, kind, origin, body);
            }
            Message::Relation(relation) => {
                let oid = relation.oid;
                if relations.tell(relation) {
                    self.latest.remove(&oid);
                    self.before = None;
                }
            }
            Message::Event(event) => {
                *scope = after(&event, *scope);
                self.events.push(LocatedEvent { message: number, event });
            }
        }
        Ok(())
    }

    #[inline]
    fn table(&mut self, oid: u32, relations: &RelationCache) -> Result<usize, DecodeError> {
        if let Some((before, table)) = self.before
            && before == oid
        {
            return Ok(table);
        }
        let table = if let Some(&table) = self.latest.get(&oid) {
            table
        } else {
            let relation = Arc::clone(relations.get(oid)?);
            self.tables.push(Table { relation, rows: Vec::new() });
            self.latest.insert(oid, self.tables.len() - 1);
            self.tables.len() - 1
        };
        self.before = Some((oid, table));
        Ok(table)
    }

    fn row(
        &mut self,
        table: usize,
        kind: RowKind,
        origin: Origin,
        mut body: Cursor<'_>,
    ) -> Result<(), DecodeError> {
        let Some(Table { relation, rows }) = self.tables.get_mut(table) else { return Ok(()) };
        let mut images = RowImages { images: &mut self.images, relation };
        let (gone, come) = match kind {
            RowKind::Insert => (None, Some(images.inserted(&mut body)?)),
            RowKind::Delete => (Some(images.deleted(&mut body)?), None),
            RowKind::Update => {
                let (gone, come) = images.updated(&mut body)?;
                (Some(gone), Some(come))
            }
        };
        body.finish()?;
        let Origin { xid, subxid, message } = origin;
        let row = |first_cell, action| Row { first_cell, xid, subxid, message, action };
        rows.extend(gone.map(|cells| row(cells, Action::Deleted)));
        rows.extend(come.map(|cells| row(cells, Action::Inserted)));
        Ok(())
    }

    fn finish(self) -> Batch {
        let images = Arc::new(self.images);
        let tables = self.tables.into_iter();
        let tables =
            tables.map(|table| TableChanges::new(Arc::clone(&images), table.relation, table.rows));
        Batch { tables: tables.collect(), events: self.events }
    }
}

fn after(event: &Event, scope: Scope) -> Scope {
    match event {
        Event::Begin { xid, .. } => Scope::Transaction(*xid),
        Event::BeginPrepare(prepared) => Scope::Transaction(prepared.xid),
        Event::StreamStart { xid, .. } => Scope::Stream(*xid),
        Event::Commit { .. } | Event::Prepare(_) | Event::StreamStop { .. } => Scope::Outside,
        _ => scope,
    }
}

/// Builds the images of one relation's rows; each is told by the position of its first cell.
struct RowImages<'a> {
    images: &'a mut Images,
    relation: &'a Relation,
}

impl RowImages<'_> {
    fn inserted(&mut self, body: &mut Cursor<'_>) -> Result<u32, DecodeError> {
        match body.u8()? {
            b'N' => self.tuple(body),
            other => Err(body.unexpected(other, "new row")),
        }
    }

    fn deleted(&mut self, body: &mut Cursor<'_>) -> Result<u32, DecodeError> {
        match body.u8()? {
            b'O' => self.tuple(body),
            b'K' => self.key(body),
            other => Err(body.unexpected(other, "old row or key")),
        }
    }

    fn updated(&mut self, body: &mut Cursor<'_>) -> Result<(u32, u32), DecodeError> {
        let gone = match body.u8()? {
            b'N' => {
                let come = self.tuple(body)?;
                return Ok((self.key_of(come)?, come));
            }
            b'O' => self.tuple(body)?,
            b'K' => self.key(body)?,
            other => return Err(body.unexpected(other, "old row, key or new row")),
        };
        let come = self.inserted(body)?;
        for column in 0..self.relation.columns.len() {
            if self.images.cell(come, column).kind == CellKind::Unknown {
                let unchanged = self.images.cell(gone, column);
                self.images.set(come, column, unchanged);
            }
        }
        Ok((gone, come))
    }

    fn tuple(&mut self, body: &mut Cursor<'_>) -> Result<u32, DecodeError> {
        let (row, expected) = (self.images.next_row(), self.relation.columns.len());
        let found = self.images.read_tuple(body, expected)?;
        if found == expected {
            Ok(row)
        } else {
            Err(DecodeError::ColumnCount { oid: self.relation.oid, expected, found })
        }
    }

    /// Reads a row in which only the key is told: the other columns are sent as NULL.
    fn key(&mut self, body: &mut Cursor<'_>) -> Result<u32, DecodeError> {
        let row = self.tuple(body)?;
        for (column, _) in self.relation.columns.iter().enumerate().filter(|(_, it)| !it.is_key) {
            self.images.set(row, column, Cell::UNKNOWN);
        }
        Ok(row)
    }

    /// Returns the row that went when the update left its key as it was.
    fn key_of(&mut self, come: u32) -> Result<u32, DecodeError> {
        let Relation { oid, identity, columns, .. } = self.relation;
        if *identity == ReplicaIdentity::Full {
            return Err(DecodeError::MissingOldRow { oid: *oid });
        }
        let gone = self.images.next_row();
        for (number, column) in columns.iter().enumerate() {
            let key = self.images.cell(come, number);
            self.images.push(if column.is_key { key } else { Cell::UNKNOWN });
        }
        Ok(gone)
    }
}

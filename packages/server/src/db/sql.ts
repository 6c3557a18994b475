export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/**
 * A statement with its values; `?` marks each placeholder. `packed`: its rows have texts and whole numbers alone, and may be
 * many. Where another thread reads them, they come as one text, in a third of the time.
 */
export type Sql = { readonly text: string; readonly values: readonly SqlValue[]; readonly packed?: true };

const isSql = (part: unknown): part is Sql => typeof part === 'object' && part !== null && 'text' in part;

/** The same text each time is found at once among the prepared ones: 0.1 µs, and 0.4 when joined again (bench/inside/tricks.mjs). */
const plainTexts = new WeakMap<TemplateStringsArray, string>();

/** A text that was composed before, and the texts of the pieces in it; undefined is a placeholder. */
type ComposedText = { pieces: readonly (string | undefined)[]; text: string };

/** Of each template, the texts composed last. */
const composedTexts = new WeakMap<TemplateStringsArray, ComposedText[]>();
const MAX_COMPOSED = 8;

/** Composes a statement. A value becomes a placeholder; another `sql` piece is inserted as it is. */
export function sql(strings: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  if (!parts.some(isSql)) {
    let text = plainTexts.get(strings);
    if (text === undefined) {
      text = strings.join('?');
      plainTexts.set(strings, text);
    }
    return { text, values: parts as readonly SqlValue[] };
  }
  const values: SqlValue[] = [];
  const pieces = parts.map((part) => {
    if (isSql(part)) {
      for (const value of part.values) values.push(value);
      return part.text;
    }
    values.push(part);
    return undefined;
  });
  return { text: composedText(strings, pieces), values };
}

/** A long text that is joined again has to be read again to be found among the prepared ones. */
function composedText(strings: TemplateStringsArray, pieces: ComposedText['pieces']): string {
  const known = composedTexts.get(strings) ?? [];
  for (const one of known) if (isSameList(one.pieces, pieces)) return one.text;
  let text = strings[0] ?? '';
  pieces.forEach((piece, i) => {
    text += `${piece ?? '?'}${strings[i + 1]}`;
  });
  if (known.length === MAX_COMPOSED) known.shift();
  known.push({ pieces, text });
  composedTexts.set(strings, known);
  return text;
}

function isSameList(a: ComposedText['pieces'], b: ComposedText['pieces']): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

export const emptySql: Sql = { text: '', values: [] };

export function joinSql(parts: readonly Sql[], separator: string): Sql {
  return { text: parts.map((part) => part.text).join(separator), values: parts.flatMap((part) => part.values) };
}

/** ` AND a AND b`, or an empty text. */
export function andAll(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? emptySql : sql` AND ${joinSql(conditions, ' AND ')}`;
}

/** A name or fragment that is a constant in the code; never text from a caller. */
export function fragment(text: string): Sql {
  return { text, values: [] };
}

export type ColumnType = 'text' | 'int' | 'real';

/** An insert that runs for many rows at once. */
export type Insert = {
  table: string;
  columns: Readonly<Record<string, ColumnType | 'search_text'>>;
  /** Everything after the values, such as `ON CONFLICT …`. */
  suffix?: string;
  /**
   * One row per statement: for an FTS table of SQLite, which ends a part of its index before each statement of many
   * rows.
   */
  singly?: boolean;
  /** Leaves out rows whose values in these columns no row of the other table has. */
  within?: RowsOfTable;
  /** Columns that the suffix adds to where the row is there; it changes nothing else of it. */
  adds?: readonly string[];
};

/** A table, and the columns that identify one of its rows. */
export type RowsOfTable = { table: string; by: readonly string[] };

/** A look-up by primary key, with its columns in order, that runs for many keys at once. */
export type Find = {
  table: string;
  select: string;
  by: Readonly<Record<string, ColumnType>>;
  /**
   * Another table, and the columns in which one of its rows may have the values of a found one: `select` names the two
   * `found` and `beside`.
   */
  beside?: RowsOfTable;
  /** As of a statement. */
  packed?: true;
};

/** An update by key that runs for many rows at once. */
export type Update = {
  table: string;
  set?: Readonly<Record<string, ColumnType>>;
  /** Columns that the values are added to. */
  add?: Readonly<Record<string, ColumnType>>;
  by: Readonly<Record<string, ColumnType>>;
};

/** What is made of a constant statement is made once: 9 µs for the texts of an insert (bench/inside/tricks.mjs). */
export function once<K extends object, T>(make: (key: K) => T): (key: K) => T {
  const made = new WeakMap<K, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const one = make(key);
    made.set(key, one);
    return one;
  };
}

/** A look-up of one row, by equality on its key. */
export const findOneText = once(({ table, select, by, beside }: Find) => {
  const [from, prefix] = beside ? [`${table} AS found${besideText(beside)}`, 'found.'] : [table, ''];
  return `SELECT ${select} FROM ${from} WHERE ${Object.keys(by)
    .map((name) => `${prefix}${name} = ?`)
    .join(' AND ')}`;
});

export const besideText = ({ table, by }: RowsOfTable): string =>
  ` LEFT JOIN ${table} AS beside ON ${by.map((name) => `beside.${name} = found.${name}`).join(' AND ')}`;

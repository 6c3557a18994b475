import pg from 'pg';

export type CopiedRows = {
  /** Accounts that hold an example of everything. */
  accounts: readonly string[];
  /** How many entries each account has at the end, about. */
  entries: number;
  /** How many rows an account has at most in each other table, about. */
  others: number;
  /** Where the rows of an account lie: among those of the others, or in a block. */
  layout: 'interleaved' | 'blocks';
};

type CopiedColumn = { name: string; type: string };
type CopiedTable = { name: string; columns: CopiedColumn[]; keys: string[][] };

/** Tables with rows of accounts, and the columns of their unique keys besides the account. */
const TABLES = `SELECT c.relname AS name,
    (SELECT json_agg(json_build_object('name', attname, 'type', format_type(atttypid, NULL)) ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS columns,
    (SELECT json_agg((SELECT json_agg(attname ORDER BY array_position(indkey::int[], attnum::int)) FROM pg_attribute
        WHERE attrelid = c.oid AND attnum = ANY (indkey) AND attname <> 'account_id'))
      FROM pg_index WHERE indrelid = c.oid AND indisunique) AS keys
  FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'account_id'
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') ORDER BY c.relname`;

/** One row of each account, or one for each of a few things that do not grow with its use. */
const FIXED = new Set(['accounts', 'consumer_cursors', 'retention']);
/** The same thing has the same name in every table. */
const NAMES = new Set(['key', 'session', 'commit_id', 'trace_id', 'outcome_id', 'outcome_ref']);
const HEADS = new Set(['entries', 'versions']);
const isPlace = (name: string): boolean => name === 'entry_id' || /(^|_)seq$/.test(name);

/** How many entries have the word that a copy gets besides those of its original, and how many of these words there are. */
export const COPIED_WORDS = { rare: 50, vocabulary: 20_000, perEntry: 12 };

/**
 * Copies the rows of accounts under other names and numbers, in all tables, so that a store of any size is made in a
 * fraction of the time that the service would take. Words follow Zipf's law.
 */
export async function copyRows(dsn: string, copied: CopiedRows): Promise<void> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    await client.query('SET synchronous_commit = off');
    await client.query('SELECT setseed(0.5)');
    const { rows: tables } = await client.query<CopiedTable>(TABLES);
    const blocks = copied.layout === 'blocks' ? copied.accounts.map((one) => [one]) : [copied.accounts];
    const span = await spanOf(client, copied.accounts);
    let most = 0;
    for (const table of tables) {
      if (FIXED.has(table.name)) continue;
      const { rows } = await client.query(
        `SELECT count(*) AS n FROM ${sourceOf(table)} AS source WHERE account_id = $1`,
        [copied.accounts[0]],
      );
      const n = Number(rows[0].n);
      if (n === 0) continue;
      const copies = Math.ceil((HEADS.has(table.name) ? copied.entries : copied.others) / n);
      most = Math.max(most, copies);
      await withoutWords(client, table, async () => {
        for (const accounts of blocks) await client.query(copyText(table, span), [accounts, copies]);
      });
    }
    await client.query(
      `UPDATE accounts SET seq = seq + $2, item_no = item_no + $2, audit_no = audit_no + $2 WHERE account_id = ANY ($1)`,
      [copied.accounts, span * (most + 1)],
    );
  } finally {
    await client.end();
  }
}

/** Leaves it to the test when the planner's statistics are made: autovacuum would make them whenever it comes by. */
export async function keepStatistics(dsn: string): Promise<void> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    const { rows: tables } = await client.query<CopiedTable>(TABLES);
    for (const { name } of tables) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
  } finally {
    await client.end();
  }
}

/**
 * Lets the planner believe that each table has so many times its rows, until an ANALYZE that is
 * run later.
 */
export async function pretendRows(dsn: string, times: number): Promise<void> {
  const client = new pg.Client({ connectionString: dsn });
  await client.connect();
  try {
    const { rows: tables } = await client.query<CopiedTable>(TABLES);
    for (const { name } of tables)
      await client.query(
        `UPDATE pg_class SET relpages = greatest(1, pg_relation_size(oid) / 8192),
          reltuples = (SELECT count(*) FROM ${name}) * CAST($1 AS float8)
         WHERE oid = to_regclass($2) OR oid IN (SELECT indexrelid FROM pg_index WHERE indrelid = to_regclass($2))`,
        [times, name],
      );
  } finally {
    await client.end();
  }
}

async function spanOf(client: pg.Client, accounts: readonly string[]): Promise<number> {
  const text = 'SELECT max(greatest(seq, item_no, audit_no)) AS most FROM accounts WHERE account_id = ANY ($1)';
  const { rows } = await client.query(text, [accounts]);
  return Number(rows[0].most) + 1;
}

/** An index of words is made faster than it grows. */
async function withoutWords(client: pg.Client, table: CopiedTable, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query(
    `SELECT indexname AS name, indexdef AS text FROM pg_indexes
     WHERE schemaname = current_schema() AND tablename = $1 AND indexdef LIKE '%USING gin%'`,
    [table.name],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await work();
  for (const { text } of rows) await client.query(text);
}

/** Each entry is copied with its newest version. */
const sourceOf = ({ name }: CopiedTable): string =>
  name === 'versions' ? '(SELECT versions.* FROM versions JOIN entries USING (account_id, entry_id, version))' : name;

function copyText(table: CopiedTable, span: number): string {
  const values = table.columns.map((column) => copiedValue(table, column, span));
  const names = table.columns.map(({ name }) => name).join(', ');
  return `INSERT INTO ${table.name} (${names}) SELECT ${values.join(', ')}
    FROM generate_series(1, $2::int) AS copies(i)
    CROSS JOIN LATERAL (SELECT * FROM ${sourceOf(table)} AS source WHERE account_id = ANY ($1) OFFSET 0) AS old`;
}

function copiedValue(table: CopiedTable, { name, type }: CopiedColumn, span: number): string {
  if (type === 'tsvector') return wordsText;
  if (name === 'entity_path')
    return `CASE WHEN copies.i % 2 = 0 THEN old.entity_path ELSE old.entity_path || '/p' || copies.i / 100 END`;
  if (type === 'bigint')
    return isPlace(name) || isNumbered(table, name) ? `old.${name} + copies.i * ${span}` : `old.${name}`;
  const isNamed = NAMES.has(name) || (type === 'text' && lastNames(table).includes(name));
  return isNamed ? `old.${name} || '-' || copies.i` : `old.${name}`;
}

const typeOf = ({ columns }: CopiedTable, name: string): string | undefined =>
  columns.find((column) => column.name === name)?.type;

/** Keys that no place and no name tells apart. */
const otherKeys = ({ keys }: CopiedTable): string[][] =>
  keys.filter((key) => !key.some((name) => isPlace(name) || NAMES.has(name)));

const isNumbered = (table: CopiedTable, name: string): boolean =>
  name === 'no' && otherKeys(table).some((key) => key.includes('no'));

const lastNames = (table: CopiedTable): string[] =>
  otherKeys(table).flatMap((key) =>
    key.includes('no') ? [] : (key.findLast((name) => typeOf(table, name) === 'text') ?? []),
  );

/** The mark of an account is before each of its words. */
const wordsText = `CASE WHEN old.search_words IS NULL THEN NULL ELSE old.search_words || (
    SELECT CAST(string_agg('''' || mark || word || ''':' || at, ' ') AS tsvector)
    FROM (SELECT left(words[1], strpos(words[1], '·')) AS mark FROM (SELECT tsvector_to_array(old.search_words) AS words) AS first) AS marks,
      (SELECT at, 'zipf' || floor(exp(random() * ln(${COPIED_WORDS.vocabulary}))) AS word
        FROM generate_series(1, ${COPIED_WORDS.perEntry}) AS at WHERE copies.i > 0
       UNION ALL SELECT ${COPIED_WORDS.perEntry} + 1, 'copy' || copies.i / ${COPIED_WORDS.rare}) AS words) END`;

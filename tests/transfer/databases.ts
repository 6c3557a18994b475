import { loadDriver } from '../../packages/server/src/db/sqlite-connection.ts';

async function make(file: string, statements: readonly string[]): Promise<void> {
  const { DatabaseSync } = await loadDriver();
  const database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
  database.close();
}

const ID = '6f0c1f0a-0000-4000-8000-00000000000';

/** As mem0 for Python makes it. */
export const makeMem0History = (file: string) =>
  make(file, [
    `CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,
      created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, role TEXT)`,
    `CREATE TABLE messages (id TEXT PRIMARY KEY, session_scope TEXT, role TEXT, content TEXT, name TEXT, created_at DATETIME)`,
    `INSERT INTO history VALUES
      ('h1', '${ID}1', NULL, 'Drinks tea', 'ADD', '2024-03-01T02:00:00.000000-08:00', NULL, 0, NULL, 'user'),
      ('h2', '${ID}1', 'Drinks tea', 'Drinks coffee now', 'UPDATE', '2024-03-01T02:00:00.000000-08:00',
        '2024-06-01T03:00:00.000000-07:00', 0, 'ada', 'user'),
      ('h3', '${ID}3', NULL, 'Has a cat', 'ADD', '2024-03-02T00:00:00Z', NULL, 0, NULL, NULL),
      ('h4', '${ID}3', 'Has a cat', NULL, 'DELETE', '2024-03-02T00:00:00Z', '2024-03-03T00:00:00Z', 1, NULL, NULL)`,
  ]);

/** As mem0 for TypeScript makes it. */
export const makeMem0TypeScriptHistory = (file: string) =>
  make(file, [
    `CREATE TABLE memory_history (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_id TEXT NOT NULL, previous_value TEXT,
      new_value TEXT, action TEXT NOT NULL, created_at TEXT, updated_at TEXT, is_deleted INTEGER DEFAULT 0)`,
    `INSERT INTO memory_history (memory_id, previous_value, new_value, action, created_at, updated_at, is_deleted) VALUES
      ('t1', NULL, 'Cycles to work', 'ADD', '2025-01-01T00:00:00.000Z', NULL, 0)`,
  ]);

export const makeClaudeMem = (file: string) =>
  make(file, [
    `CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
      memory_session_id TEXT UNIQUE, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT,
      started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
      status TEXT NOT NULL DEFAULT 'active', worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT)`,
    `CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
      text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
      files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL,
      created_at_epoch INTEGER NOT NULL)`,
    `CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
      project TEXT NOT NULL, request TEXT, investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT,
      files_edited TEXT, notes TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, created_at TEXT NOT NULL,
      created_at_epoch INTEGER NOT NULL)`,
    `CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL,
      prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL)`,
    `INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, started_at, started_at_epoch)
      VALUES ('c1', 'ms-1', 'checkout', '2025-10-01T10:00:00.000Z', 1759312800000)`,
    `INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read,
      files_modified, created_at, created_at_epoch) VALUES ('ms-1', 'checkout', 'bugfix', 'Retries end', 'They no longer loop',
      '["The cap was never read"]', 'The loop looked at another field.', '["gotcha","problem-solution"]',
      '["src/retry.ts"]', '["src/retry.ts"]', '2025-10-01T10:05:00.000Z', 1759313100000)`,
    `INSERT INTO session_summaries (memory_session_id, project, request, learned, created_at, created_at_epoch)
      VALUES ('ms-1', 'checkout', 'Fix the retries', 'Caps need tests', '2025-10-01T10:30:00.000Z', 1759314600000)`,
    `INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch)
      VALUES ('c1', 1, 'fix it', '2025-10-01T10:00:00.000Z', 1759312800000)`,
  ]);

import { type Dialect, fragment, type Insert, type Query, sql, type Transaction } from '../../db/index.ts';

export const insertTasks: Insert = {
  table: 'maintenance_tasks',
  columns: { task: 'text', next_run_at: 'int' },
  suffix: 'ON CONFLICT (task) DO NOTHING',
};

export function listTasks(query: Query): Promise<{ task: string }[]> {
  return query.all(sql`SELECT task FROM maintenance_tasks`);
}

export type Claimed = { task: string; attempts: number };

export type TaskClaim = {
  tasks: readonly string[];
  claimed_by: string;
  now: number;
  until: number;
  /** Only tasks that are due by then and not started since. */
  due_by: number;
  not_since: number;
};

/** Claims tasks that no other server is running. */
export function claimTasks(tx: Transaction, dialect: Dialect, claiming: TaskClaim): Promise<Claimed[]> {
  const { tasks, claimed_by, now, until, due_by, not_since } = claiming;
  return tx.all<Claimed>(
    sql`UPDATE maintenance_tasks SET claimed_by = ${claimed_by}, claimed_until = ${until}, started_at = ${now},
          next_run_at = ${now}
        WHERE task IN (SELECT task FROM maintenance_tasks WHERE task IN (SELECT value FROM ${dialect.texts(tasks)})
          AND claimed_until <= ${now} AND next_run_at <= ${due_by} AND started_at <= ${not_since}${fragment(dialect.skipLocked)})
        RETURNING task, attempts`,
  );
}

export function renewTasks(tx: Transaction, claimed_by: string, until: number): Promise<number> {
  return tx.run(sql`UPDATE maintenance_tasks SET claimed_until = ${until} WHERE claimed_by = ${claimed_by}`);
}

export type Finished = { task: string; finished_at: number; next_run_at: number; attempts: number; last_error: string };

export function finishTask(tx: Transaction, claimed_by: string, finished: Finished): Promise<number> {
  const { task, finished_at, next_run_at, attempts, last_error } = finished;
  return tx.run(
    sql`UPDATE maintenance_tasks SET finished_at = ${finished_at}, attempts = ${attempts},
          last_error = ${last_error}, claimed_by = '', claimed_until = 0,
          next_run_at = CASE WHEN next_run_at > started_at AND next_run_at < ${next_run_at} THEN next_run_at
            ELSE ${next_run_at} END
        WHERE task = ${task} AND claimed_by = ${claimed_by}`,
  );
}

/** Makes a task due at a time at the latest. A task that is running is run once more. */
export function bringForward(tx: Transaction, { task, at, now }: { task: string; at: number; now: number }) {
  return tx.run(
    sql`UPDATE maintenance_tasks SET next_run_at = ${at}
        WHERE task = ${task} AND (next_run_at > ${at} OR (claimed_until > ${now} AND next_run_at <= started_at))`,
  );
}

/** When the next of these tasks is due. */
export async function nextRunAt(query: Query, dialect: Dialect, tasks: readonly string[]): Promise<number | undefined> {
  const row = await query.get<{ at: number | null }>(
    sql`SELECT min(next_run_at) AS at FROM maintenance_tasks WHERE task IN (SELECT value FROM ${dialect.texts(tasks)})`,
  );
  return row?.at ?? undefined;
}

export type TaskState = {
  task: string;
  next_run_at: number;
  finished_at: number;
  attempts: number;
  last_error: string;
};

export function listStates(query: Query): Promise<TaskState[]> {
  return query.all(
    sql`SELECT task, next_run_at, finished_at, attempts, last_error FROM maintenance_tasks ORDER BY task`,
  );
}

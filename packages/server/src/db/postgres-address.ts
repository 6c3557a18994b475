import { hostsOfDsn } from '@mem-service/mcp/location';
import { StorageError } from './database.ts';

export const TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;
/** Which of several hosts a connection is for, as `target_session_attrs` of libpq. */
export type HostTarget = (typeof TARGETS)[number];

export type PostgresHost = { host: string; port: number };

/** A setting of PostgreSQL and its value. */
export type ServerSetting = readonly [name: string, value: string];

/** Where connections go, as the DSN says, and what their statements run under. */
export type PostgresAddress = {
  /** For the driver: the first host, without what is handled here. */
  connectionString: string;
  hosts: PostgresHost[];
  /** `any` where the DSN names one host and nothing else. */
  target: HostTarget;
  settings: ServerSetting[];
};

/** Shorter than the timeouts of most clients, so that they receive the error. The DSN may override them. */
const DEFAULT_SETTINGS = {
  statement_timeout: '20000',
  // A server that froze or was cut off within a transaction must not block the others forever.
  idle_in_transaction_session_timeout: '4500',
};

/**
 * The service reads by index. Where PostgreSQL has no statistics yet, or takes an account for small, it would read whole
 * tables to scan or join them; where there is no other way, it does so all the same.
 */
const PLANNER_SETTINGS = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Requests run beside each other, and a statement of one is short.
  max_parallel_workers_per_gather: '0',
  // It would compile statements for what the ways that are switched off seem to cost.
  jit: 'off',
};

/** Migrations may change whole tables. */
export const PLANNER_DEFAULTS = Object.keys(PLANNER_SETTINGS).map((name) => `SET LOCAL ${name} TO DEFAULT`);

/** Poolers refuse these at the start of a connection, or drop them. */
const SETTINGS_IN_DSN = [...Object.keys(DEFAULT_SETTINGS), 'lock_timeout'];

const refuse = (problem: string): never => {
  throw new StorageError('misconfigured', new Error(problem));
};

export function readAddress(dsn: string): PostgresAddress {
  const urls = hostsOfDsn(dsn);
  const [url] = urls ?? [];
  if (!urls || !url) return refuse('the address cannot be read');
  const settings: Record<string, string> = { ...PLANNER_SETTINGS, ...DEFAULT_SETTINGS };
  for (const name of SETTINGS_IN_DSN) {
    const value = take(url, name);
    if (value !== null) settings[name] = value;
  }
  const options = take(url, 'options');
  const found = options === null ? [] : settingsInOptions(options);
  // Options of another kind are for the server, and only one without a pooler takes them.
  if (options !== null && !found) url.searchParams.set('options', options);
  for (const [name, value] of found ?? []) settings[name] = value;
  const hosts = urls.map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 5432),
  }));
  const target = targetOf(take(url, 'target_session_attrs'), hosts.length);
  return { connectionString: url.href, hosts, target, settings: Object.entries(settings) };
}

function take({ searchParams }: URL, name: string): string | null {
  const value = searchParams.get(name);
  searchParams.delete(name);
  return value;
}

/** The service writes: of several hosts it needs the one that takes writes. */
function targetOf(asked: string | null, hosts: number): HostTarget {
  if (asked === null) return hosts > 1 ? 'read-write' : 'any';
  return (
    TARGETS.find((target) => target === asked) ??
    refuse(`target_session_attrs is ${asked}, and must be one of ${TARGETS.join(', ')}`)
  );
}

/** `-c name=value` and `--name=value`; undefined where there is anything else. */
function settingsInOptions(options: string): ServerSetting[] | undefined {
  const words = options.match(/(?:\\.|[^\s\\])+/g) ?? [];
  const settings: ServerSetting[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] === '-c' ? words[++i] : words[i]?.replace(/^(-c|--)/, '');
    const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(word ?? '') ?? [];
    if (name === undefined || value === undefined) return undefined;
    settings.push([name.replaceAll('-', '_'), value.replace(/\\(.)/gs, '$1')]);
  }
  return settings;
}

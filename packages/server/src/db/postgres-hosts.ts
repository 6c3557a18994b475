import type pg from 'pg';
import type { HostTarget, PostgresHost } from './postgres-address.ts';

/** How long an answer of the hosts is believed: connections that are opened together ask once. */
const BELIEVED_MS = 1_000;

const STATE = `SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only`;
type HostState = { is_standby: boolean; is_read_only: boolean };

const FITS: Record<HostTarget, (state: HostState) => boolean> = {
  any: () => true,
  'prefer-standby': () => true,
  'read-write': ({ is_read_only }) => !is_read_only,
  'read-only': ({ is_read_only }) => is_read_only,
  primary: ({ is_standby }) => !is_standby,
  standby: ({ is_standby }) => is_standby,
};

const NONE: Partial<Record<HostTarget, string>> = {
  'read-write': 'no host takes writes',
  primary: 'no host is a primary',
  'read-only': 'no host is read-only',
  standby: 'no host is a standby',
};

type Asked = { host: PostgresHost; state: HostState };

/** Finds the host that connections are for. All are asked at once: one that is frozen delays nobody. */
export class HostFinder {
  readonly #hosts: readonly PostgresHost[];
  readonly #target: HostTarget;
  readonly #newClient: (host: PostgresHost) => pg.Client;
  #found: Promise<PostgresHost> | undefined;
  #foundAt = 0;

  constructor(
    { hosts, target }: { hosts: readonly PostgresHost[]; target: HostTarget },
    newClient: (host: PostgresHost) => pg.Client,
  ) {
    this.#hosts = hosts;
    this.#target = target;
    this.#newClient = newClient;
  }

  find(): Promise<PostgresHost> {
    if (!this.#found || performance.now() - this.#foundAt > BELIEVED_MS) {
      this.#foundAt = performance.now();
      this.#found = this.#ask();
      this.#found.catch(() => this.invalidate());
    }
    return this.#found;
  }

  /** After a write was refused: the host has become a standby. */
  invalidate(): void {
    this.#found = undefined;
  }

  async #ask(): Promise<PostgresHost> {
    const asked = this.#hosts.map(async (host): Promise<Asked> => ({ host, state: await this.#stateOf(host) }));
    const reasons: string[] = [];
    const fitting = asked.map(async (answer, i) => {
      const { host, state } = await answer.catch((error) => {
        reasons[i] = `${nameOf(this.#hosts[i])}: ${(error as Error).message}`;
        throw error;
      });
      if (FITS[this.#target](state)) return { host, state };
      reasons[i] =
        `${nameOf(host)} is ${state.is_standby ? 'a standby' : state.is_read_only ? 'read-only' : 'writable'}`;
      throw new Error(reasons[i]);
    });
    const chosen = await (NONE[this.#target] ? Promise.any(fitting) : this.#firstOf(fitting)).catch(() => undefined);
    if (chosen) return chosen.host;
    throw new Error(`${NONE[this.#target] ?? 'no host can be reached'}: ${reasons.filter(Boolean).join('; ')}`);
  }

  /** In the order of the DSN, standbys first where they are preferred. */
  async #firstOf(asked: readonly Promise<Asked>[]): Promise<Asked | undefined> {
    const results = await Promise.allSettled(asked);
    const answers = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const preferred = this.#target === 'prefer-standby' ? answers.find(({ state }) => state.is_standby) : undefined;
    return preferred ?? answers[0];
  }

  async #stateOf(host: PostgresHost): Promise<HostState> {
    const client = this.#newClient(host);
    // A broken connection is reported by the statement.
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(STATE)).rows[0] as HostState;
    } finally {
      void client.end().catch(() => {});
    }
  }
}

const nameOf = (host: PostgresHost | undefined): string => (host ? `${host.host}:${host.port}` : '');

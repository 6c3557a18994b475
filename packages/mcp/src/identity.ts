import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shapes } from '@mem-service/contract';
import type { JsonObject, ToolCaller, ToolIdentity } from './session.ts';
import type { McpSettings } from './settings.ts';

export const newSessionId = () => `sess-${randomBytes(4).toString('hex')}`;

/** Reduces a text to characters that are valid in file names and agent names. */
export function slug(text: string): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-+|-+$/g, '').slice(0, 64) || 'client';
}

/** A client may run several conversations through one process; none may take over a name that another one is using. */
const COOL_DOWN_MS = 30_000;

/**
 * The agent of a process: the name that a tool has set, now or earlier in this client, else the name in the
 * environment, else the client and the user. Each client has its own file, so that none takes over the name of another.
 */
export function createIdentity(settings: McpSettings, now: () => number = Date.now): ToolIdentity {
  let client: string | undefined;
  let active: { agent_id: string; session_id: string } | undefined;
  /** When the name set by a tool was last used. */
  let usedAt: number | undefined;
  const platform = () => client ?? settings.platform ?? 'cli';
  const file = () => join(settings.home, `identity-${platform()}`);
  const detected = () =>
    settings.agentId ??
    `${client === undefined && settings.platform === undefined ? 'agent' : platform()}/${settings.user}`;
  const current = () => {
    active ??= { agent_id: readName(file()) ?? detected(), session_id: newSessionId() };
    return active;
  };
  return {
    caller(): ToolCaller {
      if (usedAt !== undefined) usedAt = now();
      return current();
    },
    meet(name) {
      if (name !== undefined) client ??= slug(name);
    },
    about: (): JsonObject => ({
      active_identity: current().agent_id,
      session_id: current().session_id,
      sticky_identity: readName(file()) ?? null,
      detected_identity: detected(),
      effective_identity: current().agent_id,
      platform: platform(),
      identity_file: file(),
    }),
    change: {
      set(name) {
        const previous = current().agent_id;
        const isNew = previous !== name;
        const idleMs = usedAt === undefined ? Number.POSITIVE_INFINITY : now() - usedAt;
        if (isNew && idleMs < COOL_DOWN_MS) return { busy: previous, idleMs, coolDownMs: COOL_DOWN_MS };
        mkdirSync(settings.home, { recursive: true });
        writeFileSync(file(), `${name}\n`, { mode: 0o600 });
        usedAt = now();
        if (isNew) active = { agent_id: name, session_id: newSessionId() };
        return { previous, isNew };
      },
      reset() {
        const previous = current().agent_id;
        rmSync(file(), { force: true });
        usedAt = undefined;
        active = { agent_id: detected(), session_id: newSessionId() };
        return { previous };
      },
      file,
    },
  };
}

function readName(file: string): string | undefined {
  try {
    const parsed = shapes.agentId.safeParse(readFileSync(file, 'utf8').trim());
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

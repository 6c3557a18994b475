import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { definedMembers, type KeptIdentity, readIdentity, writeIdentity } from './identity-file.ts';
import type { AgentDetails, JsonObject, ToolCaller, ToolIdentity } from './session.ts';
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
  /** As the client wrote it. */
  let clientName: string | undefined;
  let active: ActiveIdentity | undefined;
  /** When the name set by a tool was last used. */
  let usedAt: number | undefined;
  const client = () => clientName && slug(clientName);
  const platform = () => client() ?? settings.platform ?? 'cli';
  const file = () => join(settings.home, `identity-${platform()}`);
  const detected = () => {
    const isKnown = clientName !== undefined || settings.platform !== undefined;
    return settings.agentId ?? `${isKnown ? platform() : 'agent'}/${settings.user}`;
  };
  const current = () => {
    active ??= begin(readIdentity(file()) ?? { name: detected(), details: {} });
    return active;
  };
  return {
    caller(): ToolCaller {
      if (usedAt !== undefined) usedAt = now();
      const { agent_id, session_id } = current();
      return { agent_id, session_id };
    },
    meet(name) {
      clientName ??= name;
    },
    metadata: () => ({ source: 'mcp', client_name: clientName, platform: platform(), ...current().details }),
    about: () => ({ ...aboutOf(current(), file()), detected_identity: detected(), platform: platform() }),
    change: {
      set(name, given = {}) {
        const { agent_id: previous, session_id, details: known } = current();
        const isNew = previous !== name;
        const idleMs = usedAt === undefined ? Number.POSITIVE_INFINITY : now() - usedAt;
        if (isNew && idleMs < COOL_DOWN_MS) return { busy: previous, idleMs, coolDownMs: COOL_DOWN_MS };
        const details = { ...(isNew ? {} : known), ...definedMembers(given) };
        writeIdentity(file(), { name, details });
        usedAt = now();
        active = isNew ? begin({ name, details }) : { agent_id: name, session_id, details };
        return { previous, isNew };
      },
      reset() {
        const previous = current().agent_id;
        rmSync(file(), { force: true });
        usedAt = undefined;
        active = begin({ name: detected(), details: {} });
        return { previous };
      },
      file,
    },
  };
}

type ActiveIdentity = { agent_id: string; session_id: string; details: AgentDetails };

/** Each name has a session of its own. */
const begin = ({ name, details }: KeptIdentity): ActiveIdentity => ({
  agent_id: name,
  session_id: newSessionId(),
  details,
});

const aboutOf = ({ agent_id, session_id, details }: ActiveIdentity, file: string): JsonObject => ({
  active_identity: agent_id,
  session_id,
  sticky_identity: readIdentity(file)?.name ?? null,
  effective_identity: agent_id,
  identity_file: file,
  ...details,
});

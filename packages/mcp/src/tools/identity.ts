import { shapes } from '@mem-service/contract';
import * as z from 'zod';
import { ownTool } from '../own-tool.ts';
import { problemOf } from '../refusals.ts';
import { callService, callServiceUntraced, type IdentityChange, type JsonObject, type McpSession } from '../session.ts';
import { readHints, type ToolAnswer, writeHints } from '../tool.ts';

const text = z.string().max(4096);
const profile = { description: text.optional(), model: text.optional(), client_name: text.optional() };

/** A tool cannot change a name that comes with each request. */
const fixed: ToolAnswer = {
  json: {
    error: 'over HTTP the identity comes with each request',
    code: 'conflict',
    hint: 'have the client send the header X-MEM-Agent-Id',
  },
  isError: true,
};

/** Refused, because another conversation of the same client would continue under the wrong name. */
const busy = (
  name: string,
  { busy: current, idleMs, coolDownMs }: Extract<IdentityChange, { busy: string }>,
): ToolAnswer => ({
  json: {
    error: `identity_conflict: ${current} was at work here a moment ago`,
    code: 'conflict',
    current_identity: current,
    requested_identity: name,
    seconds_since_last_activity: Math.round(idleMs / 1000),
    cooldown_seconds: coolDownMs / 1000,
    hint: 'another conversation may share this process: go on under its name or wait; if it was you, call mem_reset_identity first',
  },
  isError: true,
});

export const identityTools = [
  ownTool({
    name: 'mem_set_identity',
    toolset: 'core',
    description: 'Say under which name you read and write. Kept.',
    input: { name: shapes.agentId, ...profile, tools_available: z.array(text).max(1000).optional() },
    about: {
      name: 'e.g. review-bot',
      description: 'What you do',
      model: 'The model you are',
      client_name: 'Your client',
      tools_available: 'Your tools',
    },
    annotations: writeHints,
    async run({ name, description, ...details }, session) {
      const { change } = session.identity;
      if (!change) return fixed;
      const changed = change.set(name, details);
      if ('busy' in changed) return busy(name, changed);
      const { previous, isNew } = changed;
      const profile_saved = await describe(session, { description, ...details });
      return {
        ...(isNew ? { previous_identity: previous } : { status: 'already_active' }),
        new_identity: name,
        session_id: session.identity.caller().session_id,
        sticky: true,
        profile_saved,
        hint: isNew ? 'ask mem_retrieve before you start; mem_commit_outcome when you are done' : 'go on',
      };
    },
  }),
  ownTool({
    name: 'mem_whoami',
    toolset: 'core',
    description: 'Under which name you read and write, and why.',
    input: {},
    annotations: readHints,
    async run(_, session) {
      const { identity, service } = session;
      return { ...identity.about(), mode: service.mode, branch: session.branch ?? (await defaultBranch(session)) };
    },
  }),
  ownTool({
    name: 'mem_reset_identity',
    toolset: 'core',
    description: 'Clear the name that was set.',
    input: {},
    annotations: writeHints,
    run(_, { identity }) {
      if (!identity.change) return fixed;
      const { previous } = identity.change.reset();
      return { previous_identity: previous, current_identity: identity.caller().agent_id, sticky_cleared: true };
    },
  }),
];

/** The branch of calls that name none, as the service decides it. */
async function defaultBranch(session: McpSession): Promise<unknown> {
  const { default_branch } = await callServiceUntraced(session, 'me.read', {});
  return default_branch;
}

/** Adds to the profile of the agent what was given. A failure does not undo the new name. */
async function describe(session: McpSession, { description, ...details }: JsonObject): Promise<boolean> {
  const given = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined));
  if (description === undefined && Object.keys(given).length === 0) return false;
  const { agent_id } = session.identity.caller();
  try {
    const { session_metadata, ...known } = await callServiceUntraced(session, 'agents.profile', { agent_id });
    await callService(session, 'agents.set_profile', {
      agent_id,
      ...Object.fromEntries(PROFILE_FIELDS.map((field) => [field, known[field]])),
      ...(description === undefined ? {} : { description }),
      session_metadata: { ...(session_metadata as JsonObject | null), ...given },
    });
    return true;
  } catch (error) {
    if (problemOf(error)) return false;
    throw error;
  }
}

/** Setting a profile replaces it as a whole, so what is known is sent along. */
const PROFILE_FIELDS = ['description', 'platform', 'default_branch', 'auto_context_paths', 'tags'] as const;

import * as z from 'zod';
import { operation } from '../operation.ts';
import * as s from '../shapes.ts';

const MAX_METADATA_CHARS = 16_384;

/** A short name, shown to people on one line. */
const name = (max: number) =>
  s
    .text(max)
    .refine((text) => text.trim() !== '', 'must not be empty')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
    .refine((text) => !/[\u0000-\u001f\u007f-\u009f]/.test(text), 'must not hold control characters');

const metadata = s.jsonValue
  .refine(({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
  .refine(({ text }) => text.length <= MAX_METADATA_CHARS, `must not be longer than ${MAX_METADATA_CHARS} characters`)
  .meta({ type: 'object', description: 'Anything that belongs to each session of the agent.' });

const profile = {
  description: s.text(2000).nullable().default(null).meta({ description: 'What the agent does.' }),
  platform: name(128).nullable().default(null).meta({ description: 'Where it runs.' }),
  default_branch: s.branch.nullable().default(null).meta({
    description: 'The branch of its calls that name none, where its key has no default branch.',
  }),
  auto_context_paths: z
    .array(s.pathGlob)
    .max(50)
    .default([])
    .meta({ description: 'Paths that its client should look at before it starts.' }),
  tags: z.array(name(64)).max(50).default([]),
};

const capability = z
  .strictObject({
    name: name(128),
    description: s.text(1000).default(''),
    entity_paths: z
      .array(s.pathGlob)
      .max(20)
      .default([])
      .meta({ description: 'Where it applies; everywhere if none.' }),
  })
  .meta({ id: 'Capability', description: 'Something that an agent can do, and where.' });

const contract = z
  .strictObject({
    entity_path: s.pathGlob,
    key_pattern: name(256).default('*').meta({ description: 'Keys it holds for; `*` stands for any characters.' }),
    min_confidence: s.confidence.nullable().default(null),
    max_confidence: s.confidence.nullable().default(null),
    required_fields: z
      .array(name(256))
      .max(20)
      .default([])
      .meta({ description: 'Members that the value must have, as dotted paths.' }),
    ttl_required: z.boolean().default(false).meta({ description: 'The entry must expire some day.' }),
    description: s.text(500).default(''),
  })
  .refine(({ min_confidence: min, max_confidence: max }) => min === null || max === null || min <= max, {
    message: 'must not be above max_confidence',
    path: ['min_confidence'],
  })
  .meta({ id: 'Contract', description: 'A rule that an agent sets for its own writes.' });

const capabilities = z
  .array(capability)
  .max(50)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'must not name one twice');
const contracts = z.array(contract).max(50);

const whose = s.agentId.meta({ description: 'The agent it is about.' });
const updated_at = s.utc.meta({ description: 'When the agent was last described.' });
const agentPath = '/api/v1/agents/{agent_id}';
const writing = { module: 'agents', effect: 'write', cost: 2, open_to_all: true, errors: [] } as const;

/** What an agent, or its operator, declared about it. */
const declared = () => ({
  agent_id: s.agentId,
  description: z.string().nullable(),
  platform: z.string().nullable(),
  default_branch: z.string().nullable(),
  auto_context_paths: z.array(z.string()),
  tags: z.array(z.string()),
  session_metadata: s.anyJson,
});

export const agentProfiles = {
  'agents.profile': operation({
    summary: 'Read the profile of an agent',
    description: 'Its declared profile and its activity. Empty for an unknown agent.',
    module: 'agents',
    effect: 'read',
    cost: 1,
    http: { method: 'GET', path: `${agentPath}/profile` },
    cli: { args: ['agent_id'], alias: 'profile' },
    tools: [
      {
        name: 'mem_agent_profile',
        toolset: 'data',
        description: 'What an agent says about itself, its contracts, and how much it wrote.',
        fields: ['agent_id', 'branch'],
        about: { agent_id: 'Default: you' },
        self: 'agent_id',
      },
    ],
    input: () => z.strictObject({ agent_id: whose, branch: s.branch.default('main') }),
    output: () =>
      z
        .object({
          ...declared(),
          capabilities: z.array(capability),
          contracts: z.array(contract),
          entries_written: z.int().meta({ description: 'Entries whose current version it wrote.' }),
          entities_touched: z.int().meta({ description: 'Paths that hold such entries.' }),
          entities_truncated: z
            .boolean()
            .meta({ description: 'Only its newest entries were looked at for the paths.' }),
          created_at: s.utc.nullable().meta({ description: 'When it was first seen.' }),
          last_active: s.utc.nullable(),
          updated_at: updated_at.nullable(),
        })
        .meta({ id: 'AgentProfile' }),
    errors: ['branch_not_found'],
    example: () => ({ agent_id: 'deploy-bot' }),
  }),

  'agents.set_profile': operation({
    summary: 'Describe an agent',
    description: 'Replaces the whole profile; capabilities and contracts stay.',
    ...writing,
    http: { method: 'PUT', path: `${agentPath}/profile` },
    raw: [['session_metadata']],
    cli: { args: ['agent_id'], alias: 'set-profile' },
    input: () => z.strictObject({ agent_id: whose, ...profile, session_metadata: metadata.optional() }),
    output: () =>
      z.object({
        ...declared(),
        updated_at,
      }),
    example: () => ({
      agent_id: 'deploy-bot',
      description: 'Rolls services out and back',
      platform: 'kubernetes',
      auto_context_paths: ['checkout/**'],
      tags: ['deploy'],
    }),
  }),

  'agents.set_capabilities': operation({
    summary: 'Declare what an agent can do',
    description: 'Replaces what was declared before.',
    ...writing,
    http: { method: 'PUT', path: `${agentPath}/capabilities` },
    cli: { args: ['agent_id', 'capabilities'], alias: 'set-capabilities' },
    input: () => z.strictObject({ agent_id: whose, capabilities }),
    output: () => z.object({ agent_id: s.agentId, capabilities: z.array(capability), updated_at }),
    example: () => ({
      agent_id: 'deploy-bot',
      capabilities: [
        { name: 'payment-retries', description: 'Knows how payments are retried', entity_paths: ['checkout/**'] },
      ],
    }),
  }),

  'agents.set_contracts': operation({
    summary: 'Set rules for the writes of an agent',
    description:
      'From now on a write by the agent that breaks one of its rules is refused (`contract_violated`). Replaces the rules ' +
      'set before.',
    ...writing,
    http: { method: 'PUT', path: `${agentPath}/contracts` },
    cli: { args: ['agent_id', 'contracts'], alias: 'set-contracts' },
    input: () => z.strictObject({ agent_id: whose, contracts }),
    output: () => z.object({ agent_id: s.agentId, contracts: z.array(contract), updated_at }),
    example: () => ({
      agent_id: 'deploy-bot',
      contracts: [
        {
          entity_path: 'checkout/**',
          key_pattern: 'retry-*',
          min_confidence: 0.2,
          required_fields: ['max_attempts'],
          description: 'A retry policy says how often',
        },
      ],
    }),
  }),
};

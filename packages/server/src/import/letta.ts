import { filesAt, readJson } from './files.ts';
import { type ForeignData, type ForeignEntry, ForeignError, type ForeignReader } from './foreign.ts';
import { idOf, isJsonObject, type JsonObject, objectsOf, textOf, withoutEmpty } from './json-objects.ts';
import { newTaker, type TakeRecords } from './left-out.ts';
import { toKey, toLabel, toPath } from './names.ts';
import { toTime } from './times.ts';

/**
 * Reads agent files (`.af`): the memory blocks and the conversation of each agent. In the current format a file
 * contains several agents that share blocks; in the first format it contained one agent with its `core_memory`.
 */
export const readLetta: ForeignReader = async (path, into) => {
  const found: ForeignData = { entries: [], links: [], notes: [] };
  const { take, notes } = newTaker();
  for (const file of await filesAt(path, ['.af'])) {
    const json = await readJson(file);
    if (!isJsonObject(json)) throw new ForeignError(`${file} is no agent file`);
    const agents = Array.isArray(json.agents) ? objectsOf(json.agents) : [json];
    const blocks = new Map(objectsOf(json.blocks).map((block) => [idOf(block.id) ?? '', block]));
    if (!agents.some((agent) => Array.isArray(agent.messages) || Array.isArray(agent.block_ids)))
      throw new ForeignError(`${file} is no agent file: it has neither agents nor messages`);
    const written = toTime(json.created_at);
    for (const agent of agents) found.entries.push(...entriesOf(agent, { take, blocks, into, written }));
  }
  const system = found.entries.length;
  found.entries = found.entries.filter(({ value }) => !(isJsonObject(value) && value.role === 'system'));
  const left = system - found.entries.length;
  if (left > 0) found.notes.push(`${left} system messages are left behind`);
  found.notes.push(...notes());
  return found;
};

type LettaContext = {
  take: TakeRecords;
  blocks: ReadonlyMap<string, JsonObject>;
  into: string;
  written: string | undefined;
};

function entriesOf(agent: JsonObject, { take, blocks, into, written }: LettaContext): ForeignEntry[] {
  const name = textOf(agent.name) ?? idOf(agent.id) ?? 'agent';
  const agent_id = toLabel(name, 'letta');
  const ids = Array.isArray(agent.block_ids) ? agent.block_ids : [];
  const own = [...objectsOf(agent.core_memory), ...objectsOf(agent.memory_blocks)];
  const shared = ids.flatMap((id: unknown): JsonObject[] => {
    const block = blocks.get(String(id));
    return block ? [block] : [];
  });
  return [
    ...take([...shared, ...own], (block) => blockOf(block, { path: toPath(into, name, 'blocks'), agent_id, written })),
    ...take(objectsOf(agent.messages), (message, i) =>
      messageOf(message, { path: toPath(into, name, 'messages'), agent_id, i }),
    ),
  ];
}

function blockOf(
  block: JsonObject,
  { path, agent_id, written }: { path: string; agent_id: string; written: string | undefined },
) {
  const label = textOf(block.label);
  if (label === undefined || typeof block.value !== 'string') return [];
  const entry: ForeignEntry = {
    entity_path: path,
    key: toKey(label),
    value: { value: block.value, ...withoutEmpty({ description: block.description, metadata: block.metadata }) },
    agent_id,
    written_at: toTime(block.updated_at) ?? toTime(block.created_at) ?? written,
    source_id: toLabel(idOf(block.id) ?? label, label),
  };
  return [entry];
}

function messageOf(message: JsonObject, { path, agent_id, i }: { path: string; agent_id: string; i: number }) {
  const content = contentOf(message.content) ?? textOf(message.text);
  const { role, tool_calls, tool_returns } = message;
  const text = withoutEmpty({ role, content, tool_calls, tool_returns, name: message.name });
  if (content === undefined && text.tool_calls === undefined && text.tool_returns === undefined) return [];
  // Ids such as message-0 are unique only within a file, so the key includes the time.
  const written_at = toTime(message.created_at);
  const id = idOf(message.id) ?? `message-${i}`;
  const entry: ForeignEntry = {
    entity_path: path,
    key: toKey(written_at === undefined ? id : `${written_at} ${id}`),
    value: text,
    agent_id: role === 'user' ? toLabel(textOf(message.name) ?? 'user', 'user') : agent_id,
    written_at,
    source_id: toLabel(id, 'message'),
    memory_type: 'experience',
  };
  return [entry];
}

/** A text, or a list of parts, of which only the texts are used. */
function contentOf(content: unknown): string | undefined {
  if (typeof content === 'string') return textOf(content);
  const texts = objectsOf(content).flatMap(({ text }) => textOf(text) ?? []);
  return texts.length > 0 ? texts.join('\n') : undefined;
}

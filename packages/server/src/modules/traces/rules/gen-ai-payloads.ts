import { jsonDepth } from '@mem-service/contract';
import type { OtelAttributes, OtelSpan } from './otel-spans.ts';
import { cutText } from './redact.ts';

const MAX_JSON_DEPTH = 100;

/**
 * Attributes that hold inputs and outputs in the known conventions; a name that ends with a dot is a list flattened into
 * several attributes.
 */
const INPUTS = [
  'gen_ai.input.messages',
  'llm.input_messages.',
  'gen_ai.prompt.',
  'gen_ai.prompt',
  'gen_ai.tool.call.arguments',
  'input.value',
  'tool.parameters',
  'traceloop.entity.input',
  'ai.prompt.messages',
  'ai.prompt',
  'ai.toolCall.args',
];
const OUTPUTS = [
  'gen_ai.output.messages',
  'llm.output_messages.',
  'gen_ai.completion.',
  'gen_ai.completion',
  'gen_ai.tool.call.result',
  'retrieval.documents.',
  'output.value',
  'traceloop.entity.output',
  'ai.response.text',
  'ai.response.toolCalls',
  'ai.toolCall.result',
];
const INSTRUCTIONS = 'gen_ai.system_instructions';
/** Repeats a payload in another form, or is too long for an attribute. */
const OTHERS = [
  'llm.tools.',
  'gen_ai.tool.definitions',
  'embedding.embeddings.',
  'llm.prompts.',
  'input.mime_type',
  'output.mime_type',
];
const PAYLOADS = [...INPUTS, ...OUTPUTS, ...OTHERS, INSTRUCTIONS];

/** Messages sent as events, each with its role in its name. */
const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;
const CHOICE_EVENT = /^gen_ai\.choice$/;
const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

/** The input and output of a span, as far as its exporter sends them. */
export function payloadsOf({ attributes, events }: OtelSpan): { input?: unknown; output?: unknown } {
  const details = events.find(({ name }) => name === DETAILS_EVENT)?.attributes;
  const all = details ? { ...details, ...attributes } : attributes;
  const instructions = valueIn(all, [INSTRUCTIONS]);
  const messages = valueIn(all, INPUTS) ?? messagesIn(events, MESSAGE_EVENT);
  const input = instructions === undefined ? messages : { system_instructions: instructions, messages };
  const output = valueIn(all, OUTPUTS) ?? messagesIn(events, CHOICE_EVENT);
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
}

function messagesIn(events: OtelSpan['events'], wanted: RegExp): unknown[] | undefined {
  const found = events.filter(({ name }) => wanted.test(name));
  if (found.length === 0) return undefined;
  return found.map(({ name, attributes }) => {
    const role = MESSAGE_EVENT.exec(name)?.[1];
    const plain = Object.entries(attributes).map(([key, value]) => [key, plainOf(value)]);
    return { ...(role === undefined ? {} : { role }), ...Object.fromEntries(plain) };
  });
}

function valueIn(attributes: OtelAttributes, names: readonly string[]): unknown {
  for (const name of names) {
    const value = name.endsWith('.') ? joined(attributes, name) : plainOf(attributes[name]);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** Parses a text that holds JSON. */
function plainOf(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value) || jsonDepth(value) > MAX_JSON_DEPTH) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

type AttributeTree = Map<string, AttributeTree | { leaf: unknown }>;

/** Rebuilds a list from flattened attributes such as `llm.input_messages.0.message.role`. */
function joined(attributes: OtelAttributes, prefix: string): unknown {
  const root: AttributeTree = new Map();
  for (const name in attributes) {
    if (!name.startsWith(prefix) || !/^\d/.test(name.slice(prefix.length))) continue;
    const value = attributes[name];
    // The path of a message repeats the word `message`.
    const path = name
      .slice(prefix.length)
      .split('.')
      .filter((part) => !WRAPPERS.has(part));
    if (path.length > 0 && path.length <= MAX_JSON_DEPTH) plant(root, path, value);
  }
  return root.size === 0 ? undefined : grown(root);
}

const WRAPPERS: ReadonlySet<string> = new Set(['message', 'tool_call', 'document', 'message_content']);

function plant(tree: AttributeTree, [first = '', ...rest]: readonly string[], value: unknown): void {
  const known = tree.get(first);
  if (rest.length === 0) {
    if (known === undefined) tree.set(first, { leaf: plainOf(value) });
    return;
  }
  const below: AttributeTree = known instanceof Map ? known : new Map();
  tree.set(first, below);
  plant(below, rest, value);
}

function grown(tree: AttributeTree): unknown {
  const members = [...tree].map(([name, node]) => [name, node instanceof Map ? grown(node) : node.leaf] as const);
  if (!members.every(([name]) => /^\d{1,9}$/.test(name))) return Object.fromEntries(members);
  return members.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => value);
}

const MAX_ATTRIBUTES = 64;
const MAX_NAME_CHARS = 128;
const MAX_VALUE_CHARS = 1024;

/** The other attributes of a span, as short scalars. */
export function labelsOf(attributes: OtelAttributes): Record<string, unknown> {
  const labels: [string, unknown][] = [];
  for (const name in attributes) {
    if (labels.length === MAX_ATTRIBUTES) break;
    const isPayload = PAYLOADS.some((one) => (one.endsWith('.') ? name.startsWith(one) : name === one));
    if (!isPayload && name !== '' && name.length <= MAX_NAME_CHARS) labels.push([name, labelOf(attributes[name])]);
  }
  return Object.fromEntries(labels);
}

function labelOf(value: unknown): unknown {
  const plain = typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
  return typeof plain === 'string' ? cutText(plain, MAX_VALUE_CHARS) : plain;
}

const MAX_EVENTS = 32;

/** The events of a span, without the messages that are its payload. */
export function eventsOf({ events }: OtelSpan): { name: string; at: string | null; attributes: object }[] {
  const isMessage = (name: string) => MESSAGE_EVENT.test(name) || CHOICE_EVENT.test(name) || name === DETAILS_EVENT;
  return events
    .filter(({ name }) => !isMessage(name))
    .slice(0, MAX_EVENTS)
    .map(({ name, at, attributes }) => ({ name: cutText(name, MAX_NAME_CHARS), at, attributes: labelsOf(attributes) }));
}

import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

/** The kind of thing that an argument names, for completion. */
export type ArgumentKind = 'entity_path' | 'agent_id' | 'outcome_type';
type PromptArgument = { name: string; description: string; required?: true; kind?: ArgumentKind };
export type PromptArguments = Readonly<Record<string, string>>;
type Prompt = {
  name: string;
  title: string;
  description: string;
  arguments: readonly PromptArgument[];
  text(given: PromptArguments): string;
};

const at = ({ entity_path }: PromptArguments) => (entity_path ? ` at ${entity_path}` : '');

const prompts: readonly Prompt[] = [
  {
    name: 'start-task',
    title: 'Start a task',
    description: 'Look up what is known before you begin.',
    arguments: [
      { name: 'task', description: 'What is to be done', required: true },
      { name: 'entity_path', description: 'Subject it is about, e.g. checkout/payments', kind: 'entity_path' },
    ],
    text: (given) =>
      `You are about to do this: ${given.task}\n\nFirst use memory${at(given)}: ask mem_retrieve about the task in a sentence` +
      `${given.entity_path ? `, with entity_path ${given.entity_path} and include_descendants` : ''} (mem_search finds exact ` +
      'words), and read what fits with mem_read. ' +
      'Say in a few lines what is known, how far it can be trusted (confidence, evidence_status) and what speaks ' +
      'against it. Then begin; note outside sources with mem_record_context.',
  },
  {
    name: 'finish-task',
    title: 'Finish a task',
    description: 'Save what was learnt and say how it went.',
    arguments: [
      { name: 'outcome_ref', description: 'Names the result: a pull request, deployment or ticket', required: true },
      {
        name: 'outcome_type',
        description: 'success, minor_failure, failure or critical_failure',
        kind: 'outcome_type',
      },
    ],
    text: ({ outcome_ref, outcome_type }) =>
      'The task is over. Write what will matter again with mem_write: one subject per key, facts apart from beliefs, no ' +
      `secrets. Then call mem_commit_outcome with outcome_ref ${outcome_ref}, outcome_type ` +
      `${outcome_type || '(how it really went)'}, the task as task_input and your result as response_text.`,
  },
  {
    name: 'hand-over',
    title: 'Hand over',
    description: 'Leave the work so that another agent can go on.',
    arguments: [
      { name: 'to', description: 'The agent that goes on', kind: 'agent_id' },
      { name: 'entity_path', description: 'Subject it is about', kind: 'entity_path' },
    ],
    text: (given) =>
      `Hand your work over${given.to ? ` to ${given.to}` : ''}. Call mem_explain to see what this session rests on. Write ` +
      `one entry with mem_write${at(given)}, key hand-over, memory_type experience: what is done, what is open, what was ` +
      'tried and failed, what to do next, with the paths and keys to read. Then tell the user how the other agent finds ' +
      'it: mem_read_from with your name (mem_whoami), that path and key.',
  },
];

export const listedPrompts = prompts.map(({ text: _, ...prompt }) => ({
  ...prompt,
  arguments: prompt.arguments.map(({ kind: __, ...argument }) => argument),
}));

export function getPrompt(name: string, given: PromptArguments = {}) {
  const prompt = promptOf(name);
  const missing = prompt.arguments.find((argument) => argument.required && !given[argument.name]);
  if (missing) throw invalid(`${missing.name}: is required`);
  const content = { type: 'text' as const, text: prompt.text(given) };
  return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
}

function promptOf(name: string): Prompt {
  const prompt = prompts.find((one) => one.name === name);
  if (prompt) return prompt;
  throw invalid(`there is no prompt ${JSON.stringify(name)}; there are ${prompts.map((one) => one.name).join(', ')}`);
}

/** Undefined for free text. */
export function kindOf(prompt: string, argument: string): ArgumentKind | undefined {
  const found = promptOf(prompt).arguments.find(({ name }) => name === argument);
  if (!found) throw invalid(`prompt ${prompt} has no argument ${JSON.stringify(argument)}`);
  return found.kind;
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** What a server of language models answered, as far as it can be used. */
export type ChatAnswer = {
  /** What the model wrote; null where it wrote nothing, or not to the end. */
  text: string | null;
  problem: 'it refused' | 'the answer was cut off' | 'there is no answer in it' | null;
  input_tokens: number;
  output_tokens: number;
  /** Dollars, where the server says it. */
  cost_usd: number | null;
};

type AnswerMembers = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): AnswerMembers =>
  typeof value === 'object' && value !== null ? (value as AnswerMembers) : {};

/** No call takes more tokens or dollars; sums of what is counted stay exact. */
const MAX_TOKENS = 1_000_000_000;
const MAX_COST_USD = 100_000;

/** Whatever else a server writes there is taken for nothing. */
const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_TOKENS ? value : 0;
const costOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_COST_USD ? value : null;

/** A text, or a list of parts with texts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => membersOf(part).text)
    .filter((text) => typeof text === 'string')
    .join('');
}

/** Reads an answer of the protocol of OpenAI's chat completions. */
export function readChatAnswer(body: unknown): ChatAnswer {
  const { choices, usage } = membersOf(body);
  const { message, finish_reason } = membersOf(Array.isArray(choices) ? choices[0] : undefined);
  const { content, refusal } = membersOf(message);
  const { prompt_tokens, completion_tokens, cost } = membersOf(usage);
  const text = textOf(content).trim();
  return {
    ...problemOf({ text, isRefused: typeof refusal === 'string' && refusal !== '', finish_reason }),
    input_tokens: countOf(prompt_tokens),
    output_tokens: countOf(completion_tokens),
    cost_usd: costOf(cost),
  };
}

type WrittenAnswer = { text: string; isRefused: boolean; finish_reason: unknown };

function problemOf({ text, isRefused, finish_reason }: WrittenAnswer): Pick<ChatAnswer, 'text' | 'problem'> {
  if (isRefused || finish_reason === 'content_filter') return { text: null, problem: 'it refused' };
  if (finish_reason === 'length') return { text: null, problem: 'the answer was cut off' };
  return text === '' ? { text: null, problem: 'there is no answer in it' } : { text, problem: null };
}

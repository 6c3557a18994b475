/** What runs are compared by. */
export type ComparableRun = {
  task_input: string | null;
  tools: readonly string[];
  attributes: Readonly<Record<string, unknown>>;
};

/** The words of a task that are the same from run to run: numbers and ids are not. */
const wordsOf = (task: string): string[] => task.toLowerCase().match(/(?<![\p{L}\p{N}])\p{L}+(?![\p{L}\p{N}])/gu) ?? [];

/** Of all that one of two has, the share that both have. */
function shareOfBoth(one: Iterable<string>, other: Iterable<string>): number {
  const [first, second] = [new Set(one), new Set(other)];
  const all = new Set([...first, ...second]).size;
  return all === 0 ? 1 : [...first].filter((name) => second.has(name)).length / all;
}

/** How a run ended is left out: one of the two failed. */
const attributesOf = ({ attributes }: ComparableRun): string[] =>
  Object.entries(attributes).flatMap(([key, value]) => (key === 'outcome_type' ? [] : JSON.stringify([key, value])));

/** The same task counts as much as the same tools and attributes together; one that only shares words with it, half of that at most. */
function likenessOfTasks(one: ComparableRun, other: ComparableRun): number {
  const shared = shareOfBoth(wordsOf(one.task_input ?? ''), wordsOf(other.task_input ?? ''));
  return shared === 1 ? 2 : shared;
}

/** From 0 to 4. */
export const likenessOf = (one: ComparableRun, other: ComparableRun): number =>
  likenessOfTasks(one, other) +
  shareOfBoth(one.tools, other.tools) +
  shareOfBoth(attributesOf(one), attributesOf(other));

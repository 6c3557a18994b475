export type BriefedState = { path: string | undefined; isEmpty: boolean; isFirstVisit: boolean; isTested: boolean };

const WRITE = 'Write what will matter again (mem_write): a path for the subject, a key for the statement, one value.';
const COMMIT = 'End with the outcome (mem_commit_outcome): it says which entries held, and when you were here.';

/** What to do first where a briefing has little to say. */
export function nextSteps({ path, isEmpty, isFirstVisit, isTested }: BriefedState): string[] {
  if (isEmpty && path === undefined) return ['Memory is empty, or you may see nothing of it yet.', WRITE, COMMIT];
  if (isEmpty)
    return [
      `Nothing is known at ${path} yet. Ask in your own words (mem_retrieve), or ask for a briefing without a path.`,
      WRITE,
      COMMIT,
    ];
  return [
    ...(isTested ? [] : ['No outcome has tested anything here: check before you rely on it.']),
    ...(isFirstVisit
      ? [`No finished session of yours has read anything here: what is newest is listed. ${COMMIT}`]
      : []),
  ];
}

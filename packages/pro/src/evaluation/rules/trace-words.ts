import type { judgeShapes } from '@mem-service/server/module';

type TextOfTrace = Extract<judgeShapes.SimpleCheck, { check: 'pattern' }>['in'];

/** Texts of the head of a trace, as people call them. */
export const HEAD_TEXTS: Partial<Record<TextOfTrace, string>> = {
  task_input: 'task',
  response_text: 'answer',
  decision_summary: 'summary of the decision',
};

/** Said of a text in which an expression is looked for: where it is found, and where it is not. */
const MATCHES: Record<TextOfTrace, readonly [found: string, none: string]> = {
  task_input: ['the task matches', 'the task does not match'],
  response_text: ['the answer matches', 'the answer does not match'],
  decision_summary: ['the summary of the decision matches', 'the summary of the decision does not match'],
  tool_arguments: ['the arguments of a tool call match', 'no arguments of a tool call match'],
  tool_results: ['the result of a tool call matches', 'no result of a tool call matches'],
  errors: ['an error matches', 'no error matches'],
  contexts: ['a context matches', 'no context matches'],
  spans: ['a span matches', 'no span matches'],
};

export const matchWords = (where: TextOfTrace, isFound: boolean): string => MATCHES[where][isFound ? 0 : 1];

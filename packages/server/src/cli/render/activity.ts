import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { facts } from './reports.ts';
import type { Screen } from './text.ts';

/** What the worker compiled, without the minutes in which it compiled nothing. */
export function activity(item: AnswerItem, screen: Screen): string {
  const { throughput, ...answer } = item as Output<'cortex.activity'>;
  return facts({ ...answer, throughput: throughput.filter(({ compiled }) => compiled > 0) }, screen);
}

import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { paint, type Screen, show, when } from './text.ts';

type ShownDigest = Output<'digests.list'>['digests'][number];

/** What is known of each scope, in sentences. */
export const digests = (item: AnswerItem, screen: Screen): string =>
  `${(item.digests as unknown as ShownDigest[]).map((one) => digestBlock(one, screen)).join('\n\n')}\n`;

function digestBlock({ digest_type, scope, summary, compiled_at }: ShownDigest, screen: Screen): string {
  const about = `${digest_type}, compiled ${when(compiled_at)}`;
  return `${paint(screen, 'cyan', show(scope))}  ${paint(screen, 'dim', about)}\n  ${show(summary.narrative)}`;
}

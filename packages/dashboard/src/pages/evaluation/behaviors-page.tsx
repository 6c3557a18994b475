import type { OperationName } from '../../data/client.ts';
import { useBranchRefresh } from '../../data/use-refresh.ts';
import type { PageProps } from '../../pages.ts';
import { BehaviorList } from './behavior-list.tsx';
import { BehaviorPage } from './behavior-page.tsx';

export const BEHAVIOR_ANSWERS: readonly OperationName[] = [
  ...(['behaviors.list', 'behaviors.read', 'behaviors.blast_radius', 'behaviors.list_traces'] as const),
];
const BEHAVIOR_EVENTS: ReadonlySet<string> = new Set(['behavior_defined', 'traces_matched']);

/** `#/behaviors` lists them, `#/behaviors/ID` shows one. */
export function BehaviorsPage({ rest }: PageProps) {
  useBranchRefresh(BEHAVIOR_EVENTS, BEHAVIOR_ANSWERS);
  return rest === '' ? <BehaviorList /> : <BehaviorPage key={rest} behaviorId={rest} changes={BEHAVIOR_ANSWERS} />;
}

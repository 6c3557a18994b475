import type { Output } from '@mem-service/contract';
import type { AnswerItem } from './columns.ts';
import { outcomeText } from './outcome-name.ts';
import { attributesText, sessionNodes } from './session.ts';
import { paint, type Screen, show, when } from './text.ts';
import { type TreeNode, tree } from './tree.ts';

/** What a session read and did, as a tree. */
export function explain(item: AnswerItem, screen: Screen): string {
  const explanation = item as Output<'sessions.explain'>;
  const attributes = attributesText(explanation.attributes);
  const nodes: TreeNode[] = [
    ...sessionNodes(explanation, screen),
    ...(attributes === '' ? [] : [{ text: `attributes ${attributes}` }]),
    ...(explanation.truncated ? [{ text: paint(screen, 'yellow', 'the session held more than is kept') }] : []),
  ];
  const name =
    explanation.session_id === null ? 'session' : `session ${paint(screen, 'bold', show(explanation.session_id))}`;
  const head = `${name} of ${paint(screen, 'cyan', show(explanation.agent_id))}: ${stateText(explanation, screen)}`;
  return tree(head, nodes.length === 0 ? [{ text: 'nothing was read or recorded yet' }] : nodes, screen);
}

function stateText(explanation: Output<'sessions.explain'>, screen: Screen): string {
  const { status, session_started_at, outcome_ref, outcome_type, trace_id } = explanation;
  if (status === 'open') return session_started_at === null ? 'open' : `open since ${when(session_started_at)}`;
  return `sealed, ${outcomeText(outcome_ref, outcome_type, screen)}, trace ${paint(screen, 'yellow', show(trace_id))}`;
}

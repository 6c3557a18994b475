import type { AnswerItem } from './columns.ts';
import { pad, paint, type Screen, show, widthOf } from './text.ts';

type EdgeAnswer = {
  source: string;
  source_type: string;
  relation: string;
  target: string;
  target_type: string;
  confidence: number;
  evidence_count: number;
  depth: number;
};
type EdgeEnd = { name: string; type: string };

const keyOf = ({ name, type }: EdgeEnd) => `${type}\0${name}`;
const sourceOf = ({ source, source_type }: EdgeAnswer): EdgeEnd => ({ name: source, type: source_type });
const targetOf = ({ target, target_type }: EdgeAnswer): EdgeEnd => ({ name: target, type: target_type });

/** A tree from the start of the walk: each edge once, below the end from which it was found. */
export function neighbors(item: AnswerItem, screen: Screen): string {
  const edges = item.edges as EdgeAnswer[];
  const nodes = item.nodes as (EdgeEnd & { depth: number })[];
  if (edges.length === 0) return `nothing is known to be connected with ${show(item.entity)}\n`;
  const depths = new Map(nodes.map((node) => [keyOf(node), node.depth]));
  const width = edges.reduce((widest, { relation }) => Math.max(widest, widthOf(show(relation))), 0);
  const found = new Map<string, EdgeAnswer[]>();
  for (const edge of edges) {
    const from = keyOf(fromOf(edge, depths));
    const known = found.get(from);
    if (known) known.push(edge);
    else found.set(from, [edge]);
  }
  const lines: string[] = [];
  const grow = (end: EdgeEnd, indent: string): void => {
    const own = found.get(keyOf(end)) ?? [];
    found.delete(keyOf(end));
    for (const edge of own) {
      const isOut = keyOf(sourceOf(edge)) === keyOf(end);
      const other = isOut ? targetOf(edge) : sourceOf(edge);
      const arrow = `${isOut ? '→' : '←'} ${pad(show(edge.relation), width)}`;
      lines.push(`${indent}${paint(screen, 'dim', arrow)}  ${endLabel(other, screen)}${strengthOf(edge, screen)}`);
      grow(other, `${indent}  `);
    }
  };
  for (const node of nodes.filter(({ depth }) => depth === 0)) {
    lines.push(endLabel(node, screen));
    grow(node, '  ');
  }
  if (item.truncated === true) lines.push(paint(screen, 'dim', 'there is more: narrow it down, or raise --limit'));
  return `${lines.join('\n')}\n`;
}

/** The end that was reached before the edge. */
function fromOf(edge: EdgeAnswer, depths: ReadonlyMap<string, number>): EdgeEnd {
  const isFromSource = depths.get(keyOf(sourceOf(edge))) === edge.depth - 1;
  return isFromSource ? sourceOf(edge) : targetOf(edge);
}

const endLabel = ({ name, type }: EdgeEnd, screen: Screen) =>
  `${paint(screen, 'dim', type)} ${paint(screen, 'cyan', show(name))}`;

function strengthOf({ confidence, evidence_count }: EdgeAnswer, screen: Screen): string {
  const parts = [
    ...(evidence_count > 1 ? [`${evidence_count} times`] : []),
    ...(confidence < 1 ? [`confidence ${confidence}`] : []),
  ];
  return parts.length === 0 ? '' : paint(screen, 'dim', `  (${parts.join(', ')})`);
}

export function stated(item: AnswerItem, screen: Screen): string {
  const edge = item as AnswerItem & EdgeAnswer;
  const arrow = paint(screen, 'dim', `→ ${show(edge.relation)} →`);
  return `${endLabel(sourceOf(edge), screen)} ${arrow} ${endLabel(targetOf(edge), screen)}${strengthOf(edge, screen)}\n`;
}

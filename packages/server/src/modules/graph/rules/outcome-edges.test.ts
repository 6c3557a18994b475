import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OutcomeCause, outcomeEdges } from './outcome-edges.ts';

const cause = (entry_id: number, visible_to = ''): OutcomeCause => ({ branch: 'main', entry_id, visible_to });
const pairs = (causes: readonly OutcomeCause[], visible_to = '') =>
  outcomeEdges({ outcome_ref: 'run', visible_to, success: true, causes })
    .filter(({ relation }) => relation === 'co_occurs_with')
    .map((edge) => `${Number(edge.source)}-${Number(edge.target)}${edge.visible_to && ` ${edge.visible_to}`}`);

const causes = fc
  .uniqueArray(fc.integer({ min: 1, max: 200 }), { maxLength: 80 })
  .chain((ids) =>
    fc
      .array(fc.constantFrom('', '', 'agent/x'), { minLength: ids.length, maxLength: ids.length })
      .map((who) => ids.map((id, i) => cause(id, who[i]))),
  );

describe('the edges of an outcome', () => {
  it('tie each cause to the one that was read before it', () => {
    expect(pairs([cause(1), cause(5), cause(3)])).toEqual(['1-5', '3-5']);
    expect(pairs([cause(1)])).toEqual([]);
  });

  it('count a cause that is named twice once', () => {
    const edges = outcomeEdges({ outcome_ref: 'run', visible_to: '', success: true, causes: [cause(1), cause(1)] });
    expect(edges.map(({ relation }) => relation)).toEqual(['informed']);
  });

  it('chain what everyone sees past what only one agent sees', () => {
    const mixed = [cause(9, 'agent/x'), cause(1), cause(7, 'agent/x'), cause(8, 'agent/x'), cause(2)];
    expect(pairs(mixed)).toEqual(['1-2', '1-9 agent/x', '1-7 agent/x', '7-8 agent/x']);
  });

  it('never tie what one agent keeps to itself to what another does', () => {
    expect(pairs([cause(1, 'agent/x'), cause(2, 'agent/y')])).toEqual([]);
  });

  it('of an outcome that only one agent sees are for that agent', () => {
    expect(pairs([cause(1), cause(2)], 'agent/x')).toEqual(['1-2 agent/x']);
    const edges = outcomeEdges({ outcome_ref: 'run', visible_to: 'agent/x', success: true, causes: [cause(1)] });
    expect(edges).toMatchObject([{ relation: 'informed', visible_to: 'agent/x' }]);
  });

  it('are one less than the causes at most, and fifty at most', () => {
    fc.assert(
      fc.property(causes, (some) => {
        expect(pairs(some).length).toBe(Math.min(50, Math.max(0, some.length - 1)));
      }),
    );
  });

  it('that everyone sees are the same without what only one agent sees', () => {
    fc.assert(
      fc.property(causes, (some) => {
        const open = some.filter(({ visible_to }) => visible_to === '');
        expect(pairs(some).filter((pair) => !pair.includes(' '))).toEqual(pairs(open));
      }),
    );
  });
});

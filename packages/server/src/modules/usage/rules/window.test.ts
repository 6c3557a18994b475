import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CELL_MS, type Cells, roomIn, waitFor, weightOf } from './window.ts';

/** A key in use: counts admitted requests, as the service does. */
class Used {
  cells: Cells = { current: 0, previous: 0 };
  #cell = 0;

  at(ms: number): number {
    const cell = Math.floor(ms / CELL_MS);
    if (cell !== this.#cell) {
      this.cells = { current: 0, previous: cell === this.#cell + 1 ? this.cells.current : 0 };
      this.#cell = cell;
    }
    return ms % CELL_MS;
  }

  take(ms: number, limit: number): boolean {
    const elapsed = this.at(ms);
    const isFree = waitFor(this.cells, elapsed, limit) === 0;
    if (isFree) this.cells.current++;
    return isFree;
  }
}

const limits = fc.integer({ min: 1, max: 200 });
const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(2_000), fc.nat(90_000)), {
  minLength: 1,
  maxLength: 600,
});

describe('a minute that slides over two', () => {
  it('never holds more than the limit, and lets one through exactly where there is room', () => {
    fc.assert(
      fc.property(limits, gaps, (limit, waits) => {
        const used = new Used();
        let ms = 0;
        for (const wait of waits) {
          ms += wait;
          const elapsed = used.at(ms);
          const room = roomIn(used.cells, elapsed, limit);
          expect(used.take(ms, limit)).toBe(room > 0);
          expect(weightOf(used.cells, elapsed)).toBeLessThan((limit + 1) * CELL_MS);
          expect(used.cells.current).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it('has room after the wait that it returns, and not a millisecond before', () => {
    fc.assert(
      fc.property(limits, gaps, (limit, waits) => {
        const used = new Used();
        let ms = 0;
        for (const gap of waits) {
          ms += gap;
          const elapsed = used.at(ms);
          const wait = waitFor(used.cells, elapsed, limit);
          if (wait > 0) {
            ms += wait;
            const before = ms - 1;
            const turned = Math.floor(before / CELL_MS) !== Math.floor((ms - wait) / CELL_MS);
            const cells = turned ? { current: 0, previous: used.cells.current } : used.cells;
            expect(roomIn(cells, before % CELL_MS, limit)).toBe(0);
          }
          expect(used.take(ms, limit)).toBe(true);
        }
      }),
    );
  });

  it('refuses no key that keeps to the limit evenly', () => {
    fc.assert(
      fc.property(limits, fc.nat(CELL_MS), (limit, start) => {
        const used = new Used();
        const gap = Math.ceil(CELL_MS / limit);
        for (let i = 0; i < limit * 3; i++) expect(used.take(start + i * gap, limit)).toBe(true);
      }),
    );
  });

  it('lets no more than twice the limit through in any minute, whenever they come', () => {
    fc.assert(
      fc.property(limits, gaps, (limit, waits) => {
        const used = new Used();
        const taken: number[] = [];
        let ms = 0;
        for (const wait of waits) {
          ms += wait;
          if (used.take(ms, limit)) taken.push(ms);
        }
        taken.forEach((end, i) => {
          const within = taken.slice(0, i + 1).filter((at) => at > end - CELL_MS).length;
          expect(within).toBeLessThanOrEqual(2 * limit);
        });
      }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { MAX_SPACER_PX, moved } from './use-rows.ts';

const height = 800;
const virtualPx = 1_000_000 * 32;
const sizes = { virtualPx, spacerPx: MAX_SPACER_PX, height };

describe('a million rows behind a spacer that is shorter than they are', () => {
  it('move one to one over short distances', () => {
    const before = { scrollTop: 1_000, virtualTop: 500_000, height };
    expect(moved(before, { scrollTop: 1_240, ...sizes }).virtualTop).toBe(500_240);
  });

  it('jump by proportion over long ones', () => {
    const before = { scrollTop: 0, virtualTop: 0, height };
    const half = (MAX_SPACER_PX - height) / 2;
    expect(moved(before, { scrollTop: half, ...sizes }).virtualTop).toBeCloseTo((virtualPx - height) / 2);
  });

  it('end exactly at both ends', () => {
    const before = { scrollTop: 100, virtualTop: 12_345, height };
    expect(moved(before, { scrollTop: 0, ...sizes }).virtualTop).toBe(0);
    expect(moved(before, { scrollTop: MAX_SPACER_PX - height, ...sizes }).virtualTop).toBe(virtualPx - height);
  });

  it('are where the scroll bar is, where the spacer is as high as they are', () => {
    const before = { scrollTop: 0, virtualTop: 0, height };
    expect(moved(before, { scrollTop: 77, virtualPx: 3_200, spacerPx: 3_200, height }).virtualTop).toBe(77);
  });
});

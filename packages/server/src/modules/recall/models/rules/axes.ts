/**
 * The dimensions of a model's vectors have no order of importance, and some have the same sign in all of them. So clusters
 * are made of sums of all dimensions, each added or subtracted as a fixed pattern says.
 */
const AXES = 8;

export function axesOf(vector: Float32Array): Float32Array {
  const sums = new Float32Array(AXES);
  for (let at = 0; at < vector.length; at++) {
    const signs = mixed(at + 1);
    const value = vector[at] as number;
    for (let axis = 0; axis < AXES; axis++)
      sums[axis] = (sums[axis] as number) + ((signs >>> axis) & 1 ? value : -value);
  }
  return sums;
}

/** Bits without a pattern, the same for a number each time. */
function mixed(n: number): number {
  let bits = Math.imul(n, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  return (bits ^ (bits >>> 13)) >>> 0;
}

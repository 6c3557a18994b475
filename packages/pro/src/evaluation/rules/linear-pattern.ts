/**
 * Whether a regular expression surely takes time in proportion to the text: it repeats nothing without a bound and refers
 * to nothing that it found. Others may take squared or exponential time.
 */
export function isLinear(pattern: string): boolean {
  const plain = pattern.replace(/\\(?:[^1-9k])/g, '_').replace(/\[(?:[^\]])*\]/g, '_');
  return !/[*+\\{]|\(\?<?[=!]/.test(plain);
}

import vm from 'node:vm';

const context = vm.createContext(Object.create(null));
const script = new vm.Script('regexp.test(text)');

/**
 * Tests a text with a regular expression of a user; undefined where that takes longer than it may. The engine gives up at
 * the deadline, and until then nothing else runs, so keep it short.
 */
export function testWithin(regexp: RegExp, text: string, timeoutMs: number): boolean | undefined {
  try {
    Object.assign(context, { regexp, text });
    return script.runInContext(context, { timeout: timeoutMs }) as boolean;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  } finally {
    Object.assign(context, { regexp: undefined, text: undefined });
  }
}

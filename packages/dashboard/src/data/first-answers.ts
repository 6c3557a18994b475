/** Answers that were asked for before the app was there, by address. Each is taken once. */
export type FirstAnswers = { key: string; at: number; byUrl: Map<string, Promise<Response>> };

declare global {
  var memFirst: FirstAnswers | undefined;
}

/** Later the app asks by itself: what was true then may be so no more. */
const FRESH_MS = 10_000;

/** The answer to this request, if it is under way already. */
export function takeFirst(url: string, method: string, key: string): Promise<Response> | undefined {
  const first = globalThis.memFirst;
  if (!first || method !== 'GET' || first.key !== key) return undefined;
  if (performance.now() - first.at > FRESH_MS) {
    globalThis.memFirst = undefined;
    return undefined;
  }
  const answer = first.byUrl.get(url);
  first.byUrl.delete(url);
  return answer;
}

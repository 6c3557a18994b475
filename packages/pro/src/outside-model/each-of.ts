/** Does something with each of some things, a few at a time. After a failure no more are begun, and it fails when all have ended. */
export async function eachOf<T>(items: readonly T[], atOnce: number, run: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  let failed: { error: unknown } | undefined;
  const worker = async () => {
    for (const item of left) {
      if (failed) return;
      try {
        await run(item);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (failed) throw failed.error;
}

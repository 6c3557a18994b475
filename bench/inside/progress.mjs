/** Reports every ten seconds how many items are filled. Returns the rate. */
export function progress(all) {
  const started = performance.now();
  let reportedAt = started;
  return (done) => {
    const now = performance.now();
    const per_s = (done / (now - started)) * 1000;
    if (now - reportedAt >= 10_000) {
      reportedAt = now;
      process.stderr.write(`  ${done} of ${all}, ${Math.round(per_s)} a second\n`);
    }
    return { per_s };
  };
}

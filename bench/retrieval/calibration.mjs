// How well chances agree with what happened, and chances that are made to.

/** The mean square of the error, 0 at best; 0.25 for one who always says a half. */
export const brier = (samples) =>
  samples.reduce((sum, { chance, isIn }) => sum + (chance - isIn) ** 2, 0) / Math.max(samples.length, 1);

/** Chances by tenths: how many, what they say on average, and how often it was so. */
export function deciles(samples) {
  const groups = Array.from({ length: 10 }, () => []);
  for (const one of samples) groups[Math.min(9, Math.floor(one.chance * 10))].push(one);
  const mean = (group, of) => group.reduce((sum, one) => sum + of(one), 0) / group.length;
  return groups.flatMap((group, at) =>
    group.length === 0
      ? []
      : [
          {
            from: at / 10,
            count: group.length,
            given: mean(group, ({ chance }) => chance),
            held: mean(group, ({ isIn }) => isIn),
          },
        ],
  );
}

/** The expected calibration error: how far tenths are off, by their size. */
export const calibrationError = (samples) =>
  deciles(samples).reduce((sum, { count, given, held }) => sum + (count / samples.length) * Math.abs(given - held), 0);

/** Weights of a logistic regression, the constant first, by Newton's method with a little pull towards 0. */
export function fitLogistic(rows, labels, importance) {
  const pull = 0.01;
  const xs = rows.map((row) => [1, ...row]);
  const size = xs[0].length;
  let weights = Array.from({ length: size }, () => 0);
  for (let step = 0; step < 50; step++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -pull * weight));
    const hessian = weights.map((_, at) => weights.map((__, other) => (at === other && at > 0 ? pull : 1e-9)));
    xs.forEach((x, i) => {
      const chance = 1 / (1 + Math.exp(-x.reduce((sum, value, at) => sum + value * weights[at], 0)));
      for (let a = 0; a < size; a++) {
        gradient[a] += importance[i] * (labels[i] - chance) * x[a];
        for (let b = 0; b < size; b++) hessian[a][b] += importance[i] * chance * (1 - chance) * x[a] * x[b];
      }
    });
    const change = solve(hessian, gradient);
    weights = weights.map((weight, at) => weight + change[at]);
    if (Math.max(...change.map(Math.abs)) < 1e-9) break;
  }
  return weights;
}

/** By elimination, with the largest of each column first. */
function solve(matrix, right) {
  const rows = matrix.map((row, at) => [...row, right[at]]);
  for (let at = 0; at < rows.length; at++) {
    const pivot = rows.findIndex(
      (row, i) => i >= at && Math.abs(row[at]) === Math.max(...rows.slice(at).map((one) => Math.abs(one[at]))),
    );
    [rows[at], rows[pivot]] = [rows[pivot], rows[at]];
    for (let i = 0; i < rows.length; i++) {
      if (i === at) continue;
      const factor = rows[i][at] / rows[at][at];
      rows[i] = rows[i].map((value, column) => value - factor * rows[at][column]);
    }
  }
  return rows.map((row, at) => row.at(-1) / row[at]);
}

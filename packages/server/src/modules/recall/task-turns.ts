/** Who waits for a task. Accounts take turns, and questions come before work that nobody waits for. */
export type TaskTurn = {
  account_id: string;
  isQuestion: boolean;
  /** Milliseconds after which the answer is not wanted any more. */
  timeLeft?: (() => number) | undefined;
};

/** What was asked was not done in time. */
export class OutOfTime extends Error {}

type WaitingTask = { start: () => void; reject: (error: unknown) => void };
type Tasks = Map<string, WaitingTask[]>;

/** One is worked on while the next is on its way. */
const MOST_SENT = 2;
/** After as many questions, something else has its turn: an index that falls behind makes questions slower. */
const QUESTIONS_IN_A_ROW = 8;

/** Decides what a thread does next. Each account has its own line, so that what one asks for does not keep others waiting. */
export class TaskTurns {
  readonly #questions: Tasks = new Map();
  readonly #others: Tasks = new Map();
  #sent = 0;
  #othersSent = 0;
  #inARow = 0;

  run<T>(turn: TaskTurn, task: () => Promise<T>): Promise<T> {
    const left = turn.timeLeft?.() ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return Promise.reject(new OutOfTime());
    return new Promise<T>((resolve, reject) => {
      const tasks = turn.isQuestion ? this.#questions : this.#others;
      const waiting: WaitingTask = { start: () => this.#send(turn, task).then(resolve, reject).finally(end), reject };
      const giveUp = () => {
        leaveLine(tasks, turn.account_id, waiting);
        reject(new OutOfTime());
      };
      const timer = left === Number.POSITIVE_INFINITY ? undefined : setTimeout(giveUp, left);
      const end = () => clearTimeout(timer);
      const line = tasks.get(turn.account_id);
      if (line) line.push(waiting);
      else tasks.set(turn.account_id, [waiting]);
      this.#sendNext();
    });
  }

  /** Tasks that wait for their turn fail. */
  drop(error: Error): void {
    const waiting = [...this.#questions.values(), ...this.#others.values()].flat();
    this.#questions.clear();
    this.#others.clear();
    for (const { reject } of waiting) reject(error);
  }

  async #send<T>({ isQuestion }: TaskTurn, task: () => Promise<T>): Promise<T> {
    this.#sent++;
    if (!isQuestion) this.#othersSent++;
    this.#inARow = isQuestion ? this.#inARow + 1 : 0;
    try {
      return await task();
    } finally {
      this.#sent--;
      if (!isQuestion) this.#othersSent--;
      this.#sendNext();
    }
  }

  #sendNext(): void {
    while (this.#sent < MOST_SENT) {
      const others = this.#othersSent === 0 ? this.#others : NONE;
      const isOthersTurn = this.#inARow >= QUESTIONS_IN_A_ROW && others.size > 0;
      const next = isOthersTurn ? nextIn(others) : (nextIn(this.#questions) ?? nextIn(others));
      if (!next) return;
      next.start();
    }
  }
}

const NONE: Tasks = new Map();

/** The first task of the account that has waited longest; its next one waits behind those of all others. */
function nextIn(tasks: Tasks): WaitingTask | undefined {
  const [first] = tasks;
  if (!first) return undefined;
  const [account, line] = first;
  const task = line.shift();
  tasks.delete(account);
  if (line.length > 0) tasks.set(account, line);
  return task;
}

function leaveLine(tasks: Tasks, account: string, task: WaitingTask): void {
  const left = tasks.get(account)?.filter((one) => one !== task) ?? [];
  if (left.length === 0) tasks.delete(account);
  else tasks.set(account, left);
}

/** Too many files wait to be read. The same file can be read later. */
export class ReaderBusy extends Error {}

const MOST_WAITING = 32;
const MOST_WAITING_PER_ACCOUNT = 4;

type WaitingFile = { account_id: string; start: () => void };

/** One file at a time is read in this process, of each account in turn. */
export class ReadingTurns {
  readonly #waiting: WaitingFile[] = [];
  #isReading = false;
  #lastAccount = '';

  async run<T>(account_id: string, read: () => Promise<T>): Promise<T> {
    await this.#turn(account_id);
    try {
      return await read();
    } finally {
      this.#isReading = false;
      this.#startNext();
    }
  }

  #turn(account_id: string): Promise<void> {
    const own = this.#waiting.filter((file) => file.account_id === account_id).length;
    if (this.#waiting.length >= MOST_WAITING || own >= MOST_WAITING_PER_ACCOUNT)
      return Promise.reject(new ReaderBusy('too many files wait to be read'));
    return new Promise((start) => {
      this.#waiting.push({ account_id, start });
      this.#startNext();
    });
  }

  #startNext(): void {
    if (this.#isReading) return;
    const ofAnother = this.#waiting.findIndex(({ account_id }) => account_id !== this.#lastAccount);
    const [next] = this.#waiting.splice(Math.max(0, ofAnother), 1);
    if (!next) return;
    this.#isReading = true;
    this.#lastAccount = next.account_id;
    next.start();
  }
}

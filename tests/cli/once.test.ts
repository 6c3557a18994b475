import { expect, it } from 'vitest';
import { openDesk } from './support.ts';

it('a key that is shown once is said to be, beside the answer', async () => {
  const desk = await openDesk();
  try {
    const account = await desk.inProcess(['create-key', 'deploy bot'], { env: { MEM_MODE: 'hosted' } });
    expect(account).toMatchObject({ code: 0, err: 'the key is shown this once: keep it now\n' });
    expect((await desk.inProcess(['create-key', 'other', '--json'], { env: { MEM_MODE: 'hosted' } })).err).toBe('');
  } finally {
    desk.remove();
  }
});

/** Keys from before holders were kept are their own. */
export const holderOf = ({ holder, key_id }: { holder: string; key_id: string }): string =>
  holder === '' ? key_id : holder;

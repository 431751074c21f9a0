// A value that views follow.

export class Store<T> {
  private readonly listeners = new Set<(value: T, before: T) => void>();

  constructor(private held: T) {}

  get value(): T {
    return this.held;
  }

  set(value: T): void {
    const before = this.held;
    this.held = value;
    for (const listener of this.listeners) listener(value, before);
  }

  /** Calls the listener now and at every change. */
  follow(listener: (value: T, before: T) => void): void {
    this.listeners.add(listener);
    listener(this.held, this.held);
  }
}

"""layers.py MODELDIR: prints layers.json: states of tokens between the layers of all-MiniLM-L6-v2, by ONNX Runtime.

The pinned model.onnx is given more outputs: what leaves each layer's last addition (of LayerNorm's bias), the embeddings' first.
For each text: its ids by the reference tokenizer, and of every stage and token six of the 384 values, one text a line.

Printed with Python 3.11, onnx 1.23.2, onnxruntime 1.32.0, tokenizers 0.23.3:  python layers.py MODELDIR > layers.json
"""
import hashlib, json, sys
import numpy as np
import onnx, onnxruntime
from tokenizers import Tokenizer

folder = sys.argv[1]
model = onnx.load(f'{folder}/model.onnx')
assert hashlib.sha256(open(f'{folder}/model.onnx', 'rb').read()).hexdigest().startswith('ca46f1a88a9c')
biases = ['embeddings.LayerNorm.bias'] + [f'encoder.layer.{i}.output.LayerNorm.bias' for i in range(6)]
outputs = []
for bias in biases:
    (node,) = [n for n in model.graph.node if any(i.endswith(bias) for i in n.input)]
    assert node.op_type == 'Add', node.op_type
    outputs.append(node.output[0])
    if node.output[0] not in [o.name for o in model.graph.output]:
        model.graph.output.append(onnx.helper.make_tensor_value_info(node.output[0], onnx.TensorProto.FLOAT, None))
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=['CPUExecutionProvider'])
tokenizer = Tokenizer.from_file(f'{folder}/tokenizer.json')
tokenizer.no_padding()
COLUMNS = [0, 77, 154, 231, 308, 383]
lines = []
for text in ['Gödel', 'What keeps a compiler from fusing a product with a sum?', 'naïve Bayes 東京 ﬁnite']:
    ids = tokenizer.encode(text).ids
    row = np.array([ids])
    stages = session.run(outputs, {'input_ids': row, 'attention_mask': np.ones_like(row), 'token_type_ids': np.zeros_like(row)})
    lines.append(json.dumps({'text': text, 'ids': ids, 'columns': COLUMNS,
                             'stages': [[[round(float(x), 7) for x in t[COLUMNS]] for t in s[0]] for s in stages]}, separators=(',', ':')))
print('[' + ',\n'.join(lines) + ']')

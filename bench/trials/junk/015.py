"""{'rate': 20, 'dialect': ['scheme', 'headerPrefix', 'publicKeyParameter']}"""
import sys, os
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import junk
junk.main(15)
